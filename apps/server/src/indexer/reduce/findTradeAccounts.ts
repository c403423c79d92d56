import type { AccountSource } from "@slipway/protocol/indexed";
import { decodeTransfer, type RawLog, transferTopic } from "@slipway/protocol/rawLog";
import { decodeSwapAmount, swapTopic } from "@slipway/protocol/swapLog";
import type { OperationMark } from "@slipway/protocol/userOperationLog";
import type { Emitter, TokenRef } from "../indexState.ts";
import { swapTransactions } from "../swapTransactions.ts";
import { isHolder } from "./isHolder.ts";
import { type Movement, type TokenFlow, traceLots } from "./traceLots.ts";

/** The account that traded, lower case. */
export type TradeAccount = { account: string; source: AccountSource };

/** The data besides logs that determines accounts. */
type AccountContext = {
  emitters: ReadonlyMap<string, Emitter>;
  /** Senders of the transactions with trades, by hash. */
  senders: ReadonlyMap<string, string>;
  /** The marks of EntryPoints in these transactions, by hash, in chain order. */
  operations: ReadonlyMap<string, readonly OperationMark[]>;
};

/**
 * Finds the account of every trade: who gave the tokens of a sell, who kept the tokens of a buy, by the Transfer events
 * of the launch token in the transaction (docs/models.md, Account of a trade).
 *
 * @param logs - Logs in chain order.
 * @returns The accounts by the trade's Swap log.
 */
export function findTradeAccounts(logs: readonly RawLog[], context: AccountContext): Map<RawLog, TradeAccount> {
  const { emitters, senders, operations } = context;
  const accounts = new Map<RawLog, TradeAccount>();
  for (const { start, end, swap } of swapTransactions(logs)) {
    const sender = senders.get(swap.transactionHash);
    if (sender === undefined) continue;
    const marks = operations.get(swap.transactionHash) ?? [];
    const account = marks.length === 0 ? findDirectAccount(logs, start, end, swap, emitters) : null;
    if (account !== null) {
      // The sender's own string, if it is the account: the strings of other logs are not hashed yet.
      accounts.set(swap, { account: account === sender ? sender : account, source: "transfers" });
      continue;
    }
    for (const flow of readFlows(logs, start, end, emitters)) addAccounts(flow, sender, marks, accounts);
  }
  return accounts;
}

/**
 * Finds the account of a transaction with one swap, whose only transfer is between the pool and that account; null for
 * other transactions. Most transactions are like this, and `readFlows` takes five times as long.
 */
function findDirectAccount(
  logs: readonly RawLog[],
  start: number,
  end: number,
  swap: RawLog,
  emitters: AccountContext["emitters"],
): string | null {
  let transfer: RawLog | null = null;
  for (let i = start; i < end && logs[i] !== swap; i++) {
    const topic = logs[i]!.topics[0];
    if (topic === swapTopic || (topic === transferTopic && transfer !== null)) return null;
    if (topic === transferTopic) transfer = logs[i]!;
  }
  const token = emitters.get(swap.address)?.pool;
  if (transfer === null || token === undefined || transfer.address !== token.address) return null;
  if (logs[end - 1] !== swap) return null;
  const movement = decodeTransfer(transfer);
  const amount = decodeSwapAmount(swap, token.isToken0 ? 0 : 1);
  if (movement === null || amount === null || amount === 0n) return null;
  const { from, to, value } = movement;
  const isPaid = amount < 0n ? from === token.pool && value === -amount : to === token.pool && value >= amount;
  const account = amount < 0n ? to : from;
  return isPaid && isHolder(token, account) ? account : null;
}

/** Reads the flows of the launch tokens in a transaction, the logs from `start` to before `end`. */
function readFlows(
  logs: readonly RawLog[],
  start: number,
  end: number,
  emitters: AccountContext["emitters"],
): Iterable<TokenFlow> {
  const flows = new Map<TokenRef, TokenFlow & { sinceSwap: Movement[] }>();
  const openFlow = (token: TokenRef) => {
    let flow = flows.get(token);
    if (flow === undefined) {
      flow = { token, movements: [], trades: [], sinceSwap: [] };
      flows.set(token, flow);
    }
    return flow;
  };
  for (let i = start; i < end; i++) {
    const log = logs[i]!;
    const emitter = emitters.get(log.address);
    if (log.topics[0] === transferTopic && emitter?.token !== undefined) {
      const movement = decodeTransfer(log);
      if (movement === null || movement.value === 0n || movement.from === movement.to) continue;
      const { token } = emitter;
      const flow = openFlow(token);
      flow.movements.push(movement);
      if (movement.from === token.pool || movement.to === token.pool) flow.sinceSwap.push(movement);
    } else if (log.topics[0] === swapTopic && emitter?.pool !== undefined) {
      const token = emitter.pool;
      const amount = decodeSwapAmount(log, token.isToken0 ? 0 : 1);
      if (amount === null) continue;
      const flow = openFlow(token);
      const movements = findMovements(flow.sinceSwap, token.pool, amount);
      flow.trades.push({ log, movements });
      flow.sinceSwap = [];
    }
  }
  return flows.values();
}

/**
 * Finds the movements of a swap among the movements of the pool since its previous swap. The pool is locked during a
 * swap and pays before it calls the payer back. So a buy is the pool's last payment, and a sell is paid by the last
 * movements to the pool that together reach its amount. (UniswapV3Pool.swap)
 *
 * @param amount - The change of the pool's balance. Negative for a buy.
 */
function findMovements(sinceSwap: readonly Movement[], pool: string, amount: bigint): Movement[] {
  if (amount < 0n) {
    const paid = sinceSwap.findLast(({ from }) => from === pool);
    return paid?.value === -amount ? [paid] : [];
  }
  const received: Movement[] = [];
  let missing = amount;
  for (let i = sinceSwap.length - 1; i >= 0 && missing > 0n; i--) {
    const movement = sinceSwap[i]!;
    if (movement.to !== pool) continue;
    received.unshift(movement);
    missing -= movement.value;
  }
  return missing > 0n ? [] : received;
}

/** Adds the accounts of a flow's trades. */
function addAccounts(
  flow: TokenFlow,
  sender: string,
  marks: readonly OperationMark[],
  accounts: Map<RawLog, TradeAccount>,
): void {
  const { token, movements, trades } = flow;
  const shares = traceLots(flow);
  const changes = sumChanges(movements);
  for (const [i, trade] of trades.entries()) {
    const candidates = new Map<string, bigint>();
    for (const [account, amount] of shares?.[i] ?? [])
      if (isHolder(token, account) && changes.get(account) !== 0n) candidates.set(account, amount);
    const total = trade.movements.reduce((sum, { value }) => sum + value, 0n);
    const operators = findOperators(marks, Number(trade.log.logIndex)).filter((operator) => operator !== sender);
    // Without a candidate, all accounts passed the tokens on, as in a round trip: the operation's account did the trade.
    const isOperator = (account: string) => (candidates.size > 0 ? candidates : changes).has(account);
    const operator =
      shares === null ? undefined : operators.find((account) => isHolder(token, account) && isOperator(account));
    const most = [...candidates].find(([, amount]) => 2n * amount > total);
    if (operator !== undefined) accounts.set(trade.log, { account: operator, source: "user_operation" });
    else accounts.set(trade.log, most ? { account: most[0], source: "transfers" } : bySender(sender));
  }
}

function bySender(account: string): TradeAccount {
  return { account, source: "sender" };
}

/** Sums the change of each account's balance. */
function sumChanges(movements: readonly Movement[]): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const { from, to, value } of movements) {
    changes.set(from, (changes.get(from) ?? 0n) - value);
    changes.set(to, (changes.get(to) ?? 0n) + value);
  }
  return changes;
}

/**
 * Finds the accounts of the user operations during whose execution a log was emitted, innermost first. If a mark of an
 * EntryPoint precedes the log, the operation of that EntryPoint is the one that ends with its next mark.
 */
function findOperators(marks: readonly OperationMark[], logIndex: number): string[] {
  const started = new Set<string>();
  const ended = new Set<string>();
  const operators: string[] = [];
  for (const { entryPoint, logIndex: markIndex, sender } of marks) {
    if (markIndex < logIndex) {
      started.add(entryPoint);
      continue;
    }
    if (!ended.has(entryPoint) && started.has(entryPoint) && sender !== null) operators.push(sender);
    ended.add(entryPoint);
  }
  return operators;
}
