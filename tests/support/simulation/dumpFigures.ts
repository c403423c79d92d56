import { candleSources } from "@slipway/protocol/candle";
import { quoteSell } from "@slipway/protocol/lockedPosition";
import { combineCandles } from "@slipway/server/features/tokens/candleSeries";
import { toLockedPosition } from "@slipway/server/features/tokens/toTokenTraders";
import { readHoldingTraders } from "@slipway/server/features/tokens/traderQueries";
import { createHistory } from "@slipway/server/history/history";
import type { CandleRow } from "@slipway/server/pricing/toIndexedCandle";
import type pg from "pg";
import type { Tables } from "./tables.ts";

const before = 10 ** 12;

/** Reads, by the code of the API, the figures of a token that are computed when they are requested. */
export async function dumpFigures(pool: pg.Pool, tables: Tables, address: string): Promise<void> {
  const history = createHistory(null);
  const addCandle = (name: string, row: CandleRow, traders: number | null) =>
    tables.listed.set(`${address}:${name}:${row.t}`, {
      eth: [row.o, row.h, row.l, row.c],
      n: row.n,
      buys: row.buys,
      traders,
    });
  for (const name of ["15m", "12h", "1w"] as const) {
    const { seconds, stored } = candleSources[name];
    const page = { address, seconds: stored, before, limit: 1_000_000, bucketSeconds: seconds };
    const rows = (await history.candles(pool, page))!;
    const found = rows.filter((row): row is (typeof rows)[number] & CandleRow => row.t !== null);
    for (const row of combineCandles(found, seconds)) {
      const counted = rows[0]!.counts?.[row.t];
      addCandle(name, row, counted?.trades === row.n ? counted.traders : null);
    }
  }
  const { candles } = (await history.seconds(pool, { address, before }))!;
  for (const { traders, ...row } of candles) addCandle("1s", row, traders);
  const state = (await readHoldingTraders(pool, { address, limit: 1_000_000 }))!;
  for (const trader of state.traders) {
    const value = quoteSell(toLockedPosition(state), BigInt(state.sqrt_price_x96), BigInt(trader.held), state.fee_bps);
    tables.positions.set(`${address}:${trader.address}`, { v: value });
  }
}
