import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../../../../../tests/support/database/openTestDatabase.ts";
import { parseConfig } from "../../config.ts";
import { openDatabase } from "../../db/database.ts";
import type { ReducedTrade } from "../events/poolSwap.ts";
import type { OpenCandle } from "../indexState.ts";
import { writeBalances } from "./writeBalances.ts";
import { writeCandles } from "./writeCandles.ts";
import { addFirstBuys } from "./writeFirstBuys.ts";
import { refreshWindows } from "./writeTokenState.ts";
import { loadCostBases, writeTraders } from "./writeTraders.ts";

const tables =
  "'chain.candles'::regclass, 'chain.traders'::regclass, 'chain.balances'::regclass, 'chain.first_buyers'::regclass, 'chain.first_buys'::regclass";

test("a statement prepared on empty tables does not scan the tables sequentially after they have grown", async () => {
  const database = await openTestDatabase();
  const log = pino({ level: "silent" });
  const db = openDatabase(parseConfig({ DATABASE_URL: database.url, RPC_URL: "http://none" }), log);
  onTestFinished(async () => {
    await db.close();
    await database.drop();
  });
  // Without autovacuum the planner gets no new statistics.
  for (const table of ["candles", "traders", "balances", "first_buyers", "first_buys"])
    await db.indexer.query(`alter table chain.${table} set (autovacuum_enabled = off)`);
  const client = await db.pipelined.connect();
  let batch = 0;
  const commit = async () => {
    batch++;
    const prices = { o: 1, h: 1, l: 1, c: 1, o_usd: 1, h_usd: 1, l_usd: 1, c_usd: 1 };
    const candle = { token: { id: 1 }, seconds: 60, t: batch * 60, ...prices, n: 1, buys: 1, vq: 1n, v: 1n };
    const ids = new Map([["0xa", 1]]);
    await client.query("begin");
    await writeCandles(client, [candle as unknown as OpenCandle], batch);
    const traders = [{ token_id: 1, account: "0xa", last_time: batch, first_buy_block: batch }];
    const amounts = { is_buy: true, token_amount: 1n, quote_amount: 1n, eth_usd: 1 };
    const trade = { token: { id: 1 }, account: "0xa", ...amounts } as ReducedTrade;
    const bases = await loadCostBases(client, traders, ids);
    await writeTraders(client, traders, [trade], bases, ids, batch);
    const turns = [{ t: batch * 60, came: true }];
    const balances = [{ token_id: 1, account: "0xa", delta: 1n, lowest: 0n, counts: true, turns }];
    await writeBalances(client, balances, ids, batch, batch);
    await addFirstBuys(client, [{ token_id: 1, account: "0xa", bought: [0n, 0n, 0n, 1n, 1n] }], ids, batch);
    await refreshWindows(client, batch * 60, batch);
    await client.query("commit");
  };
  const countSequentialScans = async () => {
    await client.query("select pg_stat_force_next_flush()");
    await client.query("select");
    const { rows } = await client.query(
      `select sum(pg_stat_get_numscans(oid))::int as scans from pg_class where oid in (${tables})`,
    );
    return rows[0].scans as number;
  };
  // PostgreSQL chooses a generic plan at the sixth execution of a statement.
  for (let i = 0; i < 12; i++) await commit();
  const rows = "from generate_series(1, 50000) g";
  await db.indexer.query(
    `insert into chain.candles (token_id, seconds, t, o, h, l, c, n, buys, vq) select 2, 60, g * 60, 1, 1, 1, 1, 1, 1, 1 ${rows}`,
  );
  await db.indexer.query(`insert into chain.traders (token_id, account_id, last_time) select 2, g, g ${rows}`);
  await db.indexer.query(`insert into chain.balances (token_id, account_id, balance) select 2, g, g ${rows}`);
  await db.indexer.query(`insert into chain.first_buyers select 2, g, 1, 1, 1, 1, 1 ${rows}`);
  await db.indexer.query(
    `insert into chain.first_buys select g, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 ${rows} where g > 1`,
  );
  const before = await countSequentialScans();
  for (let i = 0; i < 5; i++) await commit();
  expect(await countSequentialScans()).toBe(before);
  client.release();
});
