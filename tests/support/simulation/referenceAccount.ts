import { type Abi, decodeEventLog, type Hex, parseAbi } from "viem";
import type { ReferenceLog } from "./reference.ts";

/*
 * Finds the account of a trade from the logs of its transaction alone, by the rules of docs/models.md. Slow and without
 * production code: it is the oracle of findTradeAccounts.ts.
 */

const abi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  "event BeforeExecution()",
  "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
]) as Abi;
export const referenceEntryPoints = [
  "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
  "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
  "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
].map((address) => address.toLowerCase());
const nobody = [`0x${"0".repeat(40)}`, `0x${"0".repeat(36)}dead`];

type Place = { address: string; pool: string; locker: string; isToken0: boolean };
type Transfer = { at: number; from: string; to: string; value: bigint };
/** Tokens of one holder. `had`: who had them before the transaction; null for tokens that a swap of the pool paid. */
type Lot = { holder: string; had: string | null; paidBy: number | null; amount: bigint };

type Decoded = { name: string; args: Record<string, any> };
/** Decoded logs: a transaction is read once for each of its trades, and again after each reorganisation. */
const decodedLogs = new WeakMap<ReferenceLog, { event: Decoded | null }>();

function decode(log: ReferenceLog): Decoded | null {
  const known = decodedLogs.get(log);
  if (known) return known.event;
  const event = decodeAnew(log);
  decodedLogs.set(log, { event });
  return event;
}

function decodeAnew(log: ReferenceLog): Decoded | null {
  try {
    const topics = log.topics as [Hex, ...Hex[]];
    const { eventName, args } = decodeEventLog({ abi, data: log.data as Hex, topics, strict: true }) as any;
    return { name: eventName, args: args ?? {} };
  } catch {
    return null;
  }
}

/** @param logs - All logs of the transaction, in order. @param at - The log index of the trade's Swap. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: an oracle is read from top to bottom, in one piece
export function referenceAccount(
  logs: readonly ReferenceLog[],
  sender: string,
  place: Place,
  at: number,
): { account: string; account_source: string } {
  const transfers: Transfer[] = [];
  const swaps: { at: number; change: bigint }[] = [];
  for (const log of logs) {
    const event = decode(log);
    if (log.address === place.address && event?.name === "Transfer") {
      const { from, to, value } = event.args;
      if (value > 0n && from !== to)
        transfers.push({ at: log.logIndex, from: from.toLowerCase(), to: to.toLowerCase(), value });
    }
    if (log.address === place.pool && event?.name === "Swap")
      swaps.push({ at: log.logIndex, change: place.isToken0 ? event.args.amount0 : event.args.amount1 });
  }
  /** The log indexes of the transfers that a swap was paid with, or paid out. */
  const belongsTo = new Map<number, number>();
  for (const [i, { at: end, change }] of swaps.entries()) {
    const start = i === 0 ? -1 : swaps[i - 1]!.at;
    const inside = transfers.filter((transfer) => transfer.at > start && transfer.at < end);
    if (change < 0n) {
      const paid = inside.filter(({ from }) => from === place.pool).at(-1);
      if (paid && paid.value === -change) belongsTo.set(paid.at, end);
      continue;
    }
    const toPool = inside.filter(({ to }) => to === place.pool);
    const sumFrom = (first: number) => toPool.slice(first).reduce((sum, { value }) => sum + value, 0n);
    const first = toPool.findLastIndex((_, index) => sumFrom(index) >= change);
    if (change > 0n && first >= 0) for (const { at: index } of toPool.slice(first)) belongsTo.set(index, end);
  }

  let lots: Lot[] = [];
  const given = new Map<string, bigint>();
  const change = new Map<string, bigint>();
  for (const { at: index, from, to, value } of transfers) {
    change.set(from, (change.get(from) ?? 0n) - value);
    change.set(to, (change.get(to) ?? 0n) + value);
    const moved: Lot[] = [];
    let left = value;
    if (from === place.pool) {
      const swap = belongsTo.get(index) ?? null;
      moved.push({ holder: to, had: swap === null ? from : null, paidBy: swap, amount: value });
      left = 0n;
    }
    const kept: Lot[] = [];
    for (const lot of lots) {
      let part = lot.holder === from ? lot.amount : 0n;
      if (part > left) part = left;
      left -= part;
      if (part > 0n) moved.push({ ...lot, holder: to, amount: part });
      if (lot.amount > part) kept.push({ ...lot, amount: lot.amount - part });
    }
    if (left > 0n) moved.push({ holder: to, had: from, paidBy: null, amount: left });
    if (to === place.pool) {
      for (const { had, amount } of moved)
        if (belongsTo.get(index) === at && had !== null) given.set(had, (given.get(had) ?? 0n) + amount);
      lots = kept;
    } else lots = [...kept, ...moved];
  }
  const shares = new Map(given);
  for (const { holder, paidBy, amount } of lots)
    if (paidBy === at) shares.set(holder, (shares.get(holder) ?? 0n) + amount);
  const isPerson = (account: string) => ![place.pool, place.locker, ...nobody].includes(account);
  for (const account of shares.keys()) if (!isPerson(account) || change.get(account) === 0n) shares.delete(account);

  const operators = findOperators(logs, at).filter((account) => account !== sender && isPerson(account));
  const operator = operators.find((account) => (shares.size > 0 ? shares.has(account) : change.has(account)));
  if (operator !== undefined) return { account: operator, account_source: "user_operation" };
  const whole = transfers
    .filter(({ at: index }) => belongsTo.get(index) === at)
    .reduce((a, { value }) => a + value, 0n);
  for (const [account, amount] of shares) {
    if (amount > whole - amount) return { account, account_source: "transfers" };
  }
  return { account: sender, account_source: "sender" };
}

/** The accounts of the user operations that contain a log, the one that ends first in front. */
function findOperators(logs: readonly ReferenceLog[], at: number): string[] {
  const ends: { end: number; account: string }[] = [];
  for (const entryPoint of referenceEntryPoints) {
    const marks = logs
      .filter(({ address }) => address === entryPoint)
      .map((log) => ({ at: log.logIndex, event: decode(log) }))
      .filter(({ event }) => event?.name === "BeforeExecution" || event?.name === "UserOperationEvent");
    const next = marks.find((mark) => mark.at > at);
    if (next?.event?.name === "UserOperationEvent" && marks.some((mark) => mark.at < at))
      ends.push({ end: next.at, account: next.event.args.sender.toLowerCase() });
  }
  return ends.sort((a, b) => a.end - b.end).map(({ account }) => account);
}
