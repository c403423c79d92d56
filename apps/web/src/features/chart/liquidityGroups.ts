import type { IndexedCandle } from "@slipway/protocol/indexed";
import type { LiquidityChange } from "@slipway/protocol/liquidityChanges";
import type { ChartMark } from "../../ui/chartOverlays.ts";
import { findCandle } from "./shownCandles.ts";

/** The changes of liquidity of a candle, newest first. Its interval ends with the next candle, which can be later. */
export type LiquidityGroup = { candle: IndexedCandle; changes: readonly LiquidityChange[] };

/** The sums of additions and removals, in base units; null without one. */
export type LiquiditySums = Record<LiquidityChange["kind"], { token: bigint; quote: bigint } | null>;

const toSeconds = (time: string) => Date.parse(time) / 1_000;

/** Returns the changes by the open time of their candle; without those before the first candle. */
export function groupByCandle(
  changes: readonly LiquidityChange[],
  candles: readonly IndexedCandle[],
): ReadonlyMap<number, LiquidityGroup> {
  const groups = new Map<number, { candle: IndexedCandle; changes: LiquidityChange[] }>();
  for (const change of changes) {
    const candle = candles[findCandle(candles, toSeconds(change.block_timestamp))];
    if (candle === undefined) continue;
    const group = groups.get(candle.t);
    if (group === undefined) groups.set(candle.t, { candle, changes: [change] });
    else group.changes.push(change);
  }
  return groups;
}

/** Returns one mark for each candle and kind, so that any number of changes leaves the chart readable. */
export function toLiquidityMarks(groups: Iterable<LiquidityGroup>): ChartMark[] {
  const look = { shape: "circle", color: "accent" } as const;
  return [...groups].flatMap(({ candle: { t, l, h }, changes }) => {
    const has = (kind: LiquidityChange["kind"]) => changes.some((change) => change.kind === kind);
    const marks: ChartMark[] = [];
    if (has("mint")) marks.push({ t, price: l, place: "below", text: "+", ...look });
    if (has("burn")) marks.push({ t, price: h, place: "above", text: "−", ...look });
    return marks;
  });
}

export function sumChanges(changes: readonly LiquidityChange[]): LiquiditySums {
  const sums: LiquiditySums = { mint: null, burn: null };
  for (const { kind, token_amount, quote_amount } of changes) {
    const { token, quote } = sums[kind] ?? { token: 0n, quote: 0n };
    sums[kind] = { token: token + BigInt(token_amount), quote: quote + BigInt(quote_amount) };
  }
  return sums;
}

/** Whether the loaded changes, newest first, begin after the first candle, so that earlier ones can belong to a candle. */
export function startsAfter(changes: readonly LiquidityChange[], candles: readonly IndexedCandle[]): boolean {
  const [oldest, first] = [changes.at(-1), candles[0]];
  return oldest !== undefined && first !== undefined && toSeconds(oldest.block_timestamp) >= first.t;
}
