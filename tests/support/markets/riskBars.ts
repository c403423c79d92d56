import type { Database } from "@slipway/server/db/database";
import type { Bar } from "@slipway/server/markets/readBars";
import { storeTestBars, storeTestMarket, testBar } from "./storeTestBars.ts";

const hour = 3600;

/** The open of the last closed hour. */
export const getLastHour = (now = Date.now()): number => Math.floor(now / 3_600_000) * hour - hour;

/** Creates hourly bars of a moving price, deterministic by the arguments; the last bar opens at `lastTime`. */
export function riskBars(days: number, lastTime: number): Bar[] {
  let state = 1;
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const bars: Bar[] = [];
  let open = 100;
  for (let left = days * 24 - 1; left >= 0; left--) {
    const close = open * Math.exp(0.012 * (uniform() + uniform() - 1));
    const high = Math.max(open, close) * 1.002;
    const low = Math.min(open, close) * 0.998;
    bars.push(testBar(lastTime - left * hour, close, { open, high, low, quoteVolume: 1_000 }));
    open = close;
  }
  return bars;
}

/** Stores a tracked market with a number of days of bars; the last bar opens at `lastTime`. */
export async function storeRiskMarket(
  db: Database,
  pair: string,
  { days = 320, lastTime = getLastHour() }: { days?: number; lastTime?: number } = {},
): Promise<number> {
  const market = await storeTestMarket(db, pair, "import");
  await storeTestBars(db, market, hour, riskBars(days, lastTime));
  return market.id;
}
