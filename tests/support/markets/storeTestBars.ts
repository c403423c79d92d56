import type { Database } from "@slipway/server/db/database";
import type { Market } from "@slipway/server/markets/market";
import type { Bar, BarInterval } from "@slipway/server/markets/readBars";
import { storeBars } from "@slipway/server/markets/storeBars";

/** Stores a tracked market of an exchange, or of an import; returns the argument for `readBars`. */
export async function storeTestMarket(
  db: Database,
  pair: string,
  source: "exchange" | "import" = "exchange",
): Promise<Pick<Market, "id" | "source" | "token">> {
  const isExchange = source === "exchange";
  const { rows } = await db.api.query<{ id: number }>(
    `insert into app.markets (pair, source, exchange, external_symbol) values ($1, $2, $3, $4)
     on conflict (pair) do update set tracked = true returning id`,
    [pair, source, isExchange ? "binance" : null, isExchange ? pair.replace("_", "/") : null],
  );
  return { id: rows[0]!.id, source, token: null };
}

/** Creates a bar with one price and volume 1, changed by the other arguments. */
export function testBar(time: number, price: number, bar: Partial<Bar> = {}): Bar {
  return {
    time,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: 1,
    quoteVolume: null,
    trades: null,
    ...bar,
  };
}

/** Creates bars from closes; each opens at the previous close, and the last one opens at `lastTime`. */
export function testBars(closes: readonly number[], interval: BarInterval, lastTime: number): Bar[] {
  return closes.map((close, at) => {
    const open = closes[at - 1] ?? close;
    const time = lastTime - (closes.length - 1 - at) * interval;
    return testBar(time, close, { open, high: Math.max(open, close), low: Math.min(open, close) });
  });
}

/** Stores bars of a market like its source. */
export async function storeTestBars(
  db: Database,
  market: Pick<Market, "id">,
  interval: BarInterval,
  bars: readonly Bar[],
): Promise<void> {
  await storeBars(db.api, market.id, interval, "history", bars);
}
