import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { storeTestBars, storeTestMarket } from "../../../../../tests/support/markets/storeTestBars.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import {
  clear,
  insert,
  insertCandle,
  insertEthUsd,
  insertIndex,
  insertToken,
} from "../../../../../tests/support/server/rows.ts";
import { recomputeRecords } from "../../../../../tests/support/signals/recomputeRecords.ts";
import { seededBars } from "../../../../../tests/support/signals/seededBars.ts";
import type { Bar } from "../../markets/readBars.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import { emitSignals } from "./emitSignals.ts";
import { evaluateBars } from "./evaluateBars.ts";
import { resolveSignals } from "./resolveSignals.ts";
import { writeRecords } from "./writeRecords.ts";
import { writeSignals } from "./writeSignals.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(async () => {
  await database?.stop();
});
beforeEach(async () => {
  await clear(database.db);
  read = await createReadApp(database.db);
});

const hour = 3600;
const never = new AbortController().signal;
const start = Math.floor(Date.UTC(2026, 0, 1) / 1000);
/** Returns the time five minutes after the close of a bar. */
const after = (bar: number) => start + (bar + 1) * hour + 300;
const pairs = ["AAA_USDT", "BBB_USDT", "CCC_USDT"];
const count = 2_000;
const history = pairs.map((_, i) =>
  seededBars(i + 1, { count, lastTime: start + (count - 1) * hour, missing: [900 + i] }),
);

type Row = Record<string, any>;
const query = async (sql: string, values: unknown[] = []) => (await database.db.api.query<Row>(sql, values)).rows;
const listRows = async () => await query("select * from app.signals order by closed_at, id");
const listPublished = async () =>
  await query("select id, kind, token, payload from chain.outbox where kind = 'signal' order by id");

/** Stores the bars of all markets from number `from` to `until`, excluded. */
async function storeUntil(until: number, from = 0): Promise<void> {
  for (const [i, pair] of pairs.entries()) {
    const market = await storeTestMarket(database.db, pair, "import");
    const bars = history[i]!.filter(({ time }) => time >= start + from * hour && time < start + until * hour);
    await storeTestBars(database.db, market, hour, bars);
  }
}

/** Runs the steps of the job at a time. */
async function runAt(now: number, only?: string) {
  const markets = (await listMarkets(database.db.api, now)).filter(({ pair }) => only === undefined || pair === only);
  const resolved = await resolveSignals(database.db, markets, now, never);
  await writeRecords(database.db, now);
  const fresh = markets.filter(({ status }) => status === "fresh");
  const emitted = await emitSignals(database.db, fresh, now, never);
  await writeRecords(database.db, now);
  return { resolved, ...emitted };
}

const toIds = (rows: readonly Row[]): string[] => rows.map(({ id }) => String(id)).sort();

/** Removes the columns that depend on the time of the computation. */
const timeless = (rows: Row[]) => rows.map(({ generated_at, origin, ...row }) => row);
const get = async (path: string) => {
  const { statusCode, body } = await read.app.inject({ method: "GET", url: `/api/trading-bot/${path}` });
  return { status: statusCode, json: JSON.parse(body) as any };
};

describe("a seeded market", () => {
  test("its records equal the records of an independent implementation, to the last digit", async () => {
    await storeUntil(count);
    const { history: stored } = await runAt(after(count - 1));
    expect(stored).toBeGreaterThan(1_000);
    const { json } = await get("signal-records");
    const keys = new Map((await query("select id, pair from app.markets")).map(({ id, pair }) => [pair, String(id)]));
    const expected = recomputeRecords(pairs.map((pair, i) => ({ key: keys.get(pair)!, pair, bars: history[i]! })));
    const printed = json.items.map(({ pair, strategy, resolved, skill, track_record }: any) => {
      return { pair, strategy, resolved, skill, track_record };
    });
    expect(printed).toEqual(expected);
    expect(expected.filter(({ track_record }) => track_record !== null).length).toBeGreaterThan(9);
    expect(json.calibration_error).toBeLessThan(0.2);
  });

  test("C9-20 signals emitted hourly equal those of a later history, including confidence and outcome", async () => {
    await storeUntil(1_900);
    await runAt(after(1_899));
    for (let bar = 1_900; bar < 1_960; bar++) {
      await storeUntil(bar + 1, bar);
      // The service is down for a day and a half.
      if (bar < 1_910 || bar >= 1_946) await runAt(after(bar));
    }
    const hourly = await listRows();
    expect(hourly.filter(({ origin }) => origin === "live").length).toBeGreaterThan(10);
    await clear(database.db);
    await storeUntil(1_960);
    await runAt(after(1_959));
    const afterwards = await listRows();
    expect(timeless(hourly)).toEqual(timeless(afterwards));
  });

  test("C9-21 a market's signals come only from its own stored hours, not from minutes or another market", async () => {
    await storeUntil(1_000);
    const [market] = [await storeTestMarket(database.db, pairs[0]!, "import")];
    const wrong = history[1]!.slice(0, 500).map((bar): Bar => ({ ...bar, close: bar.open, low: bar.open * 0.5 }));
    await database.db.api.query("select app.create_bar_partitions($1, $2)", [start, start + 86_400 * 60]);
    for (const bar of wrong) {
      await database.db.api.query(
        `insert into app.market_bars (market_id, interval, time, open, high, low, close, volume, source)
         values ($1, 60, $2, $3, $3, $4, $3, 1, 1)`,
        [market!.id, bar.time, bar.open, bar.low],
      );
    }
    await runAt(after(999));
    const rows = await query("select closed_at, strategy, price from app.signals where pair = $1 order by 1, 2", [
      pairs[0],
    ]);
    const own = evaluateBars(history[0]!.filter(({ time }) => time < start + 1_000 * hour));
    const expected = own
      .map(({ closedAt, strategy, price }) => ({ closed_at: closedAt, strategy, price }))
      .sort((a, b) => a.closed_at - b.closed_at || (a.strategy < b.strategy ? -1 : 1));
    expect(rows).toEqual(expected);
  });

  test("C9-22 a run that fails stores nothing of a history, and the next run stores all of it", async () => {
    await storeUntil(600);
    await database.db.indexer.query(
      `create function app.fail_late() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
       create trigger fail_late before insert on app.signals for each row
         when (new.closed_at > ${start + 590 * hour}) execute function app.fail_late()`,
    );
    await expect(runAt(after(599))).rejects.toThrow("broken");
    expect(await listRows()).toEqual([]);
    expect(await query("select * from app.signal_progress")).toEqual([]);
    expect(await listPublished()).toEqual([]);
    await database.db.indexer.query("drop trigger fail_late on app.signals; drop function app.fail_late()");
    const { history: stored } = await runAt(after(599));
    expect(stored).toBeGreaterThan(100);
  });

  test("C9-23 concurrent and repeated runs store no signal twice", async () => {
    await storeUntil(1_500);
    const first = await Promise.all([runAt(after(1_499)), runAt(after(1_499)), runAt(after(1_499))]);
    const emitted = first.reduce((sum, { live, history: of }) => sum + live + of, 0);
    const rows = await listRows();
    expect(rows).toHaveLength(emitted);
    await storeUntil(1_530, 1_500);
    await Promise.all([runAt(after(1_529)), runAt(after(1_529))]);
    await database.db.api.query("update app.signal_progress set through = through - 86400 * 5");
    const replayed = await listRows();
    expect(await runAt(after(1_529))).toMatchObject({ live: 0, history: 0 });
    expect(await listRows()).toEqual(replayed);
    const live = replayed.filter(({ origin }) => origin === "live");
    expect(toIds((await listPublished()).map(({ payload }) => payload))).toEqual(toIds(live));
  });

  test("C9-26 a clock that is set back causes no early and no repeated signal", async () => {
    await storeUntil(1_500);
    await runAt(after(1_479));
    expect(Math.max(...(await listRows()).map(({ closed_at }) => closed_at))).toBeLessThanOrEqual(after(1_479));
    await runAt(after(1_499));
    const before = await listRows();
    await runAt(after(1_400));
    await runAt(after(1_499));
    expect(await listRows()).toEqual(before);
    expect(before.every(({ generated_at, closed_at }) => generated_at >= closed_at)).toBe(true);
  });

  test("C9-26 a clock that is days ahead resolves no signal that stored bars do not resolve", async () => {
    await storeUntil(1_500);
    await runAt(after(1_499));
    const before = await listRows();
    expect(before.some(({ outcome }) => outcome === null)).toBe(true);
    await runAt(after(1_499) + 9 * 24 * hour);
    expect(await listRows()).toEqual(before);
  });

  test("a market that cannot be evaluated does not prevent the evaluation of the others", async () => {
    await storeUntil(1_500);
    const markets = await listMarkets(database.db.api, after(1_499));
    const failing = {
      connect: async () => await database.db.api.connect(),
      query: async (statement: any, values?: unknown[]) => {
        if (statement.name === "market-bars" && statement.values[0] === markets[0]!.id) throw new Error("broken");
        return await database.db.api.query(statement, values);
      },
    } as unknown as typeof database.db.api;
    await expect(emitSignals({ api: failing }, markets, after(1_499), never)).rejects.toThrow("broken");
    expect(new Set((await listRows()).map(({ pair }) => pair))).toEqual(new Set(pairs.slice(1)));
  });

  test("C9-27 a stored signal keeps its prices when its bars change, and cannot be edited or withdrawn", async () => {
    await storeUntil(1_500);
    await runAt(after(1_499));
    const before = await listRows();
    const market = await storeTestMarket(database.db, pairs[0]!, "import");
    const changed = history[0]!.slice(0, 1_400).map((bar) => ({ ...bar, high: bar.high * 2 }));
    await storeTestBars(database.db, market, hour, changed);
    await runAt(after(1_499));
    expect(await listRows()).toEqual(before);
    const refused = /never edited or withdrawn/;
    const change = async (sql: string) => await database.db.api.query(sql);
    await expect(change("update app.signals set price = 1")).rejects.toThrow(refused);
    await expect(change("update app.signals set outcome = 'hit' where outcome = 'miss'")).rejects.toThrow(refused);
    await expect(change("delete from app.signals")).rejects.toThrow(refused);
    await expect(database.db.indexer.query("truncate app.signals cascade")).rejects.toThrow(refused);
  });

  test("C9-03 a market without current bars emits no signal, and its signals are marked as stale", async () => {
    await storeUntil(1_500);
    await runAt(after(1_499));
    const before = await listRows();
    await runAt(after(1_499) + 5 * hour);
    expect((await listRows()).length).toBe(before.length);
    const { json } = await get("public-signals-latest");
    expect(json.items.length).toBeGreaterThan(10);
    expect(json.items.every((item: any) => item.stale)).toBe(true);
  });

  test("a market that is added later gets its history, with the confidence that was known at each close", async () => {
    await storeUntil(1_500);
    await runAt(after(1_499), pairs[0]);
    const { history: stored } = await runAt(after(1_499));
    expect(stored).toBeGreaterThan(500);
    const inTwo = await listRows();
    const early = inTwo.filter(({ pair, closed_at }) => pair === pairs[2] && closed_at < start + 300 * hour);
    expect(early.some(({ confidence }) => confidence !== null)).toBe(true);
    expect(await query("select distinct pair from app.signal_records order by 1")).toHaveLength(3);
  });
});

describe("live signals", () => {
  test("are published in the transaction that stores them; history is not published", async () => {
    await storeUntil(1_900);
    await runAt(after(1_899));
    for (let bar = 1_900; bar < 1_912; bar++) {
      await storeUntil(bar + 1, bar);
      await runAt(after(bar));
    }
    const live = (await listRows()).filter(({ origin }) => origin === "live");
    const published = await listPublished();
    expect(live.length).toBeGreaterThan(0);
    expect(toIds(published.map(({ payload: each }) => each))).toEqual(toIds(live));
    const { payload, token } = published.at(-1)!;
    const row = live.find(({ id }) => id === payload.id)!;
    expect(token).toBeNull();
    expect(payload).toMatchObject({ pair: row.pair, price: row.price, closed_at: row.closed_at });
    expect(payload.track_record).toMatchObject({ out_of_sample: true });
  });

  test("C9-28 a signal waits for the indexer's transaction, so that no reader of the outbox misses either", async () => {
    await storeUntil(1_900);
    await runAt(after(1_899));
    const indexer = await database.db.indexer.connect();
    await indexer.query("begin");
    const { rows } = await indexer.query<{ id: number }>(
      `insert into chain.outbox (block_number, kind, payload) values (1, 'state', '{"tokens":[]}') returning id`,
    );
    for (let bar = 1_900; bar < 1_910; bar++) await storeUntil(bar + 1, bar);
    const running = runAt(after(1_909));
    await expect
      .poll(async () => await query("select 1 from pg_locks where not granted and relation = 'chain.outbox'::regclass"))
      .toHaveLength(1);
    expect(await listPublished()).toHaveLength((await listRows()).filter(({ origin }) => origin === "live").length);
    await indexer.query("commit");
    indexer.release();
    await running;
    const later = (await listPublished()).filter(({ id }) => id > rows[0]!.id);
    expect(later.length).toBeGreaterThan(0);
  });

  test("a launch's pool has its own costs, and its signals name the token", async () => {
    const head = start + 800 * hour;
    await insertIndex(database.db, {}, { block_time: head + 60 });
    const token = await insertToken(database.db, 1, { locked_liquidity: (10n ** 22n).toString() });
    await insert(database.db, "app.markets", { pair: "T00000003E9_WETH", source: "pool", token });
    for (const { time, open, high, low, close } of history[0]!.slice(0, 800)) {
      const prices = { o: open / 100, h: high / 100, l: low / 100, c: close / 100 };
      await insertCandle(database.db, 1, hour, time, prices);
    }
    const now = head + 60;
    await runAt(now);
    // Without an ETH price the costs are unknown.
    expect(await listRows()).toEqual([]);
    await insertEthUsd(database.db, 2_000);
    await runAt(now);
    const rows = await listRows();
    expect(rows.length).toBeGreaterThan(50);
    for (const { cost, impact, price, token: of } of rows) {
      expect(of).toBe(token);
      expect(impact).toBeCloseTo(0.5 / (10_000 * Math.sqrt(price)), 9);
      expect(cost).toBeCloseTo(0.02 + 2 * impact, 12);
    }
    expect(rows.some(({ outcome }) => outcome !== null)).toBe(true);
  });
});

describe("the endpoints", () => {
  beforeEach(async () => {
    await storeUntil(1_500);
    await runAt(after(1_499));
  });

  it("return the newest signal of each strategy on each market", async () => {
    const { status, json } = await get("public-signals-latest?limit=200");
    expect(status).toBe(200);
    const keys = json.items.map(({ pair, strategy }: any) => `${pair} ${strategy}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(json.count).toBe(keys.length);
    const newest = await query(
      "select distinct on (pair, strategy) id from app.signals order by pair, strategy, closed_at desc",
    );
    expect(toIds(json.items)).toEqual(toIds(newest));
    const closes: string[] = json.items.map(({ candle_close_at }: any) => candle_close_at);
    expect(closes).toEqual(closes.toSorted().reverse());
    const some = await get(`public-signals-latest?pair=${pairs[1]}&strategy=rsi_reversion`);
    expect(some.json.items.map(({ pair, strategy }: any) => [pair, strategy])).toEqual([[pairs[1], "rsi_reversion"]]);
    const long = await get("public-signals-latest?direction=long&limit=2");
    expect(long.json.items.every(({ direction }: any) => direction === "long")).toBe(true);
  });

  it("C9-25 return nothing for an unknown pair or strategy, and refuse an invalid one", async () => {
    for (const path of ["public-signals-latest", "public-signals", "signal-records"]) {
      expect((await get(`${path}?pair=NOPE_USDT`)).json).toMatchObject({ count: 0, items: [] });
      expect((await get(`${path}?strategy=no_such_strategy`)).json).toMatchObject({ count: 0, items: [] });
      for (const pair of ["nope", "BTC-USDT", "AAA_USDT'--", "%00"]) {
        expect((await get(`${path}?pair=${pair}`)).status).toBe(400);
      }
      expect((await get(`${path}?strategy=RSI`)).status).toBe(400);
    }
  });

  it("list all signals in pages, each once, also while other signals are stored", async () => {
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 100; page++) {
      const { json } = await get(`public-signals?limit=150${cursor === "" ? "" : `&cursor=${cursor}`}`);
      seen.push(...json.items.map(({ id }: any) => id));
      if (page === 0) {
        await storeUntil(1_520, 1_500);
        await runAt(after(1_519));
      }
      cursor = json.next_cursor;
      if (cursor === null) break;
    }
    const stored = await query("select id from app.signals where closed_at <= $1", [start + 1_500 * hour]);
    expect(seen.length).toBe(stored.length);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("filter by outcome, direction and time", async () => {
    const { json: hits } = await get("public-signals?outcome=hit&direction=long&limit=200");
    expect(hits.items.every((item: any) => item.outcome === "hit" && item.direction === "long")).toBe(true);
    expect(hits.items.every((item: any) => item.return_bps > 0 && item.exit_reason !== null)).toBe(true);
    const { json: open } = await get("public-signals?outcome=open");
    expect(open.items.every((item: any) => item.resolved_at === null && item.return_bps === null)).toBe(true);
    const [from, to] = [start + 1_000 * hour, start + 1_010 * hour].map((time) => new Date(time * 1000).toISOString());
    const { json: some } = await get(`public-signals?from=${from}&to=${to}&limit=200`);
    expect(some.items.length).toBeGreaterThan(0);
    expect(some.items.every((item: any) => item.candle_close_at >= from! && item.candle_close_at < to!)).toBe(true);
    expect((await get("public-signals?from=yesterday")).status).toBe(400);
  });

  it("C9-24 refuse a cursor that is forged, changed, or issued for another query", async () => {
    const { json } = await get("public-signals?limit=1");
    const forged = Buffer.from(JSON.stringify([start, "sg_"])).toString("base64url");
    const first = json.next_cursor as string;
    const changed = `${first.startsWith("A") ? "B" : "A"}${first.slice(1)}`;
    for (const cursor of [forged, changed, `${first}A`, "x"]) {
      const answer = await get(`public-signals?limit=1&cursor=${cursor}`);
      expect(answer.status).toBe(400);
      expect(answer.json.error).toMatchObject({ code: "invalid_query", field: "cursor" });
    }
    expect((await get(`public-signals?limit=1&outcome=hit&cursor=${first}`)).status).toBe(400);
    expect((await get(`public-signals?limit=9&cursor=${first}`)).status).toBe(200);
  });

  it("do not show signals of a launch that an administrator blocked", async () => {
    const token = `0x${"ab".repeat(20)}`;
    const id = (await query("select id from app.markets where pair = $1", [pairs[0]]))[0]!.id;
    await insert(database.db, "app.signals", {
      ...{ id: `sg_${"0".repeat(24)}`, market_id: id, pair: "TABABABABAB_WETH", token, strategy: "rsi_reversion" },
      ...{ strategy_version: 1, direction: "long", origin: "history", closed_at: start, generated_at: start + 9 },
      ...{ price: 1, stop_loss: 0.5, take_profit: 2, cost: 0, spread: 0, impact: 0, indicators: "{}" },
    });
    expect((await get("public-signals?pair=TABABABABAB_WETH")).json.count).toBe(1);
    await insert(database.db, "app.blocked_tokens", { token, blocked_at: new Date() });
    expect((await get("public-signals?pair=TABABABABAB_WETH")).json.count).toBe(0);
  });
});

test("the job writes signals until it is stopped", async () => {
  const now = Date.now();
  const lastTime = Math.floor(now / 3_600_000) * hour - hour;
  const market = await storeTestMarket(database.db, "NOW_USDT", "import");
  await storeTestBars(database.db, market, hour, seededBars(9, { count: 400, lastTime }));
  const job = writeSignals({ ...read.deps, log: pino({ level: "silent" }) });
  await expect.poll(async () => (await query("select 1 from app.signal_records")).length).toBeGreaterThan(2);
  await job.stop();
});
