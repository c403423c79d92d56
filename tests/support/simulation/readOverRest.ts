import { toIndexedCandle } from "@slipway/server/pricing/toIndexedCandle";
import type pg from "pg";
import type { Candle } from "./clientModel.ts";
import { allCandles } from "./dumpIndex.ts";

/** The data that a client reads initially, and after it missed messages. `asOf`: the newest included message. */
export type RestAnswer = {
  asOf: number;
  launches: Set<string>;
  trades: Map<string, string>;
  candles: Map<string, Candle>;
};

/** All data that the streams publish, at one moment. */
export async function readOverRest(database: pg.Pool): Promise<RestAnswer> {
  const client = await database.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const newest = await client.query("select coalesce(max(id), 0) as id from chain.outbox");
    const launches = await client.query("select address from chain.tokens order by id");
    const trades = await client.query(
      `select t.tx_hash || ':' || t.log_index as id, k.address
       from chain.trade_rows t join chain.tokens k on k.id = t.token_id`,
    );
    const candles = await client.query(allCandles);
    await client.query("commit");
    return {
      asOf: newest.rows[0].id,
      launches: new Set(launches.rows.map((row) => row.address)),
      trades: new Map(trades.rows.map((row) => [row.id, row.address])),
      candles: new Map(
        candles.rows.map((row) => {
          const usd = toIndexedCandle(row, "usd");
          const candle = usd ?? toIndexedCandle(row, "eth")!;
          return [`${row.address}:${row.seconds}:${row.t}`, { quote: usd ? "usd" : "eth", ...candle }];
        }),
      ),
    };
  } finally {
    client.release();
  }
}
