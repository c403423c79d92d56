import type { RiskBars } from "@slipway/quant/volatility/hourGrid";
import type { Queryable } from "../../db/database.ts";
import type { Market } from "../../markets/market.ts";
import { type Bar, readBars } from "../../markets/readBars.ts";

const hour = 3_600;
/** Three years and 30 days: the daily fit of HAR uses all bars, every other model fewer. */
const maxBars = (3 * 365 + 30) * 24;

/**
 * Returns the close of the last hour with a known price, in Unix seconds. For a fresh pool, this is the last full hour,
 * since a price does not change without a trade.
 */
export function getDataThrough(market: Pick<Market, "source" | "status" | "lastBarAt">, nowSeconds: number): number {
  const closed = market.lastBarAt! + hour;
  if (market.source !== "pool" || market.status !== "fresh") return closed;
  return Math.max(closed, Math.floor(nowSeconds / hour) * hour);
}

/** Reads the bars from which risk is computed. Hours of a pool without a trade have the previous price. */
export async function readRiskBars(db: Queryable, market: Market, through: number): Promise<RiskBars> {
  const from = through - maxBars * hour;
  const bars = await readBars(db, market, hour, { from, to: through - hour });
  const filled = market.source === "pool" ? carryForward(bars, through) : bars;
  const column = (pick: (bar: Bar) => number) => Float64Array.from(filled, pick);
  return {
    ...{ time: column(({ time }) => time), open: column(({ open }) => open), high: column(({ high }) => high) },
    ...{ low: column(({ low }) => low), close: column(({ close }) => close) },
    quoteVolume: column(({ quoteVolume }) => quoteVolume ?? Number.NaN),
  };
}

/** Adds the hours without a trade after the first bar. */
function carryForward(bars: readonly Bar[], through: number): Bar[] {
  const filled: Bar[] = [];
  for (const bar of bars) {
    fillUpTo(filled, bar.time);
    filled.push(bar);
  }
  fillUpTo(filled, through);
  return filled;
}

function fillUpTo(filled: Bar[], end: number): void {
  for (let last = filled.at(-1); last !== undefined && last.time + hour < end; last = filled.at(-1)) {
    const price = last.close;
    filled.push({
      ...{ time: last.time + hour, open: price, high: price, low: price, close: price },
      ...{ volume: 0, quoteVolume: 0, trades: 0 },
    });
  }
}
