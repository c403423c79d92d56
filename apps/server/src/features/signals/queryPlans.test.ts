import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainStatements, type PlanNode, pagesTouched, rowsRead } from "../../../../../bench/queryPlan.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { listHistory, listLatest, type SignalFilter } from "./queries.ts";

const markets = 50;
const count = 60_000;
const start = 1_700_000_000;
const any: SignalFilter = { pair: null, strategy: null, direction: null, outcome: null, from: null, to: null };

let database: ReadDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  await indexer.query(`
    insert into app.markets (pair, source) select 'M' || n || '_USDT', 'import' from generate_series(1, ${markets}) n;
    insert into app.signals (id, market_id, pair, strategy, strategy_version, direction, origin, closed_at, generated_at,
      price, stop_loss, take_profit, cost, spread, impact, indicators, outcome, exit_reason, entry_price, exit_price,
      net_return, resolved_at)
    select 'sg_' || n, 1 + n % ${markets}, 'M' || 1 + n % ${markets} || '_USDT', 'rule_' || n / ${markets} % 6, 1,
      case when n % 2 = 0 then 'long' else 'short' end, 'history', ${start} + n / 300 * 3600, ${start} + n / 300 * 3600,
      1, 0.9, 1.2, 0, 0, 0, '{}', o.outcome, o.reason, o.price, o.price, o.price, o.price::int + ${start} + n / 300 * 3600
    from generate_series(1, ${count}) n
    cross join lateral (select case when n > 30 then 'miss' end as outcome,
      case when n > 30 then 'time_limit' end as reason, case when n > 30 then 1.0 end as price) o
    on conflict do nothing;
    insert into app.signal_progress select distinct market_id, strategy, 1, ${start} from app.signals;
    analyze`);
  client = await database.connect();
});
afterAll(() => database?.stop());

async function explain(run: (db: Pick<pg.Pool, "query">) => Promise<unknown>): Promise<PlanNode[]> {
  const { db, plans } = explainStatements(client);
  await run(db as never);
  return plans.flat();
}

describe("a page of signals reads a bounded number of rows:", () => {
  const page = { after: null, limit: 201 };
  test.each<[string, (db: any) => Promise<unknown>]>([
    ["the newest", (db) => listHistory(db, any, page)],
    [
      "a page in the middle",
      (db) => listHistory(db, any, { after: { closedAt: start + 360_000, id: "sg_1" }, limit: 201 }),
    ],
    ["of a market", (db) => listHistory(db, { ...any, pair: "M7_USDT" }, page)],
    ["of a strategy", (db) => listHistory(db, { ...any, strategy: "rule_3" }, page)],
    ["of an unknown market", (db) => listHistory(db, { ...any, pair: "NONE_USDT" }, page)],
    ["of an unknown strategy", (db) => listHistory(db, { ...any, strategy: "no_rule" }, page)],
    ["in a direction that no strategy has", (db) => listHistory(db, { ...any, direction: "flat" }, page)],
    ["still open, which are few and old", (db) => listHistory(db, { ...any, outcome: "open" }, page)],
    ["of an hour", (db) => listHistory(db, { ...any, from: start + 36_000, to: start + 39_600 }, page)],
    ["of an empty range of time", (db) => listHistory(db, { ...any, from: start * 2, to: start * 2 + 1 }, page)],
  ])("%s", async (_name, run) => {
    const nodes = await explain(run);
    expect(rowsRead(nodes)).toBeLessThanOrEqual(1_500);
    expect(pagesTouched(nodes)).toBeLessThanOrEqual(1_500);
  });

  test("the latest signals: one row for each market and strategy", async () => {
    const nodes = await explain((db) => listLatest(db as never, { pair: null, strategy: null, direction: null }, 200));
    expect(rowsRead(nodes)).toBeLessThanOrEqual(4 * markets * 6 + 200);
  });
});
