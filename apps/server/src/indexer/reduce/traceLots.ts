import type { RawLog } from "@slipway/protocol/rawLog";
import type { TokenRef } from "../indexState.ts";

/** A transfer of the launch token. */
export type Movement = { from: string; to: string; value: bigint };

/** A trade, and the movements that the pool paid (a buy) or received (a sell) for it; empty if they are unknown. */
export type TracedTrade = { log: RawLog; movements: readonly Movement[] };

/** The movements of one launch token in one transaction, and the trades in the token's pool, in chain order. */
export type TokenFlow = { token: TokenRef; movements: Movement[]; trades: TracedTrade[] };

/** Where tokens come from: an account that had them before the transaction, or the buy with this index. */
type Origin = string | number;

type Lot = { origin: Origin; amount: bigint };

/** Maximum moved lots of one token in one transaction: an account can split and merge tokens arbitrarily often. */
export const maxMovedLots = 10_000;

/**
 * Follows the tokens of a flow through its movements. An account that passes tokens on passes on the tokens that it
 * received in the transaction, the first received first, and then the tokens that it had before.
 *
 * @returns For each trade, the tokens of a buy that each account has at the end, or the tokens of a sell that each
 *   account had at the start; null if the flow has too many lots.
 */
export function traceLots({ token, movements, trades }: TokenFlow): Map<string, bigint>[] | null {
  const shares = trades.map(() => new Map<string, bigint>());
  const tradeOf = new Map<Movement, number>();
  for (const [i, trade] of trades.entries()) for (const movement of trade.movements) tradeOf.set(movement, i);
  const received = new Map<string, Lot[]>();
  let moved = 0;
  for (const movement of movements) {
    const { from, to, value } = movement;
    const trade = tradeOf.get(movement);
    const lots = from === token.pool ? [{ origin: trade ?? from, amount: value }] : takeLots(received, from, value);
    moved += lots.length;
    if (moved > maxMovedLots) return null;
    if (to !== token.pool) {
      const own = received.get(to);
      if (own === undefined) received.set(to, lots);
      else own.push(...lots);
    } else if (trade !== undefined) {
      for (const { origin, amount } of lots) if (typeof origin === "string") addShare(shares[trade]!, origin, amount);
    }
  }
  for (const [account, lots] of received) {
    for (const { origin, amount } of lots) if (typeof origin === "number") addShare(shares[origin]!, account, amount);
  }
  return shares;
}

/** Takes an amount out of an account: received lots, the first received first, then its own tokens. */
function takeLots(received: ReadonlyMap<string, Lot[]>, account: string, value: bigint): Lot[] {
  const available = received.get(account) ?? [];
  const taken: Lot[] = [];
  let missing = value;
  let whole = 0;
  for (; whole < available.length && missing >= available[whole]!.amount; whole++) {
    taken.push(available[whole]!);
    missing -= available[whole]!.amount;
  }
  available.splice(0, whole);
  const next = available[0];
  if (missing > 0n && next !== undefined) {
    taken.push({ origin: next.origin, amount: missing });
    available[0] = { origin: next.origin, amount: next.amount - missing };
  } else if (missing > 0n) taken.push({ origin: account, amount: missing });
  return taken;
}

function addShare(shares: Map<string, bigint>, account: string, amount: bigint): void {
  shares.set(account, (shares.get(account) ?? 0n) + amount);
}
