import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getLastHour, storeRiskMarket } from "../../../../../tests/support/markets/riskBars.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { createRiskComputer } from "../../compute/createRiskComputer.ts";
import { findMarket } from "../../markets/readMarkets.ts";
import { systemClock } from "../../systemClock.ts";
import { createRiskBoard } from "./createRiskBoard.ts";
import { listWantedRisk, storeRisk, wantRisk } from "./queries.ts";
import { readRiskBars } from "./readRiskBars.ts";
import { createRiskEndpoint, readPair } from "./riskEndpoint.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db);
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

const handshake = (url: string) => ({ url }) as IncomingMessage;

/** A socket that records the written frames, and whose unread bytes the test sets. */
function createSink() {
  const frames: Buffer[] = [];
  const sink = {
    ...{ frames, unread: 0, closed: null as number | null },
    open: () => true,
    write: (frame: Buffer) => frames.push(frame),
    buffered: () => sink.unread,
    drained: async () => undefined,
    send: () => undefined,
    close: (code: number) => {
      sink.closed = code;
    },
    ping: () => undefined,
  };
  return sink;
}

test("C9-11 a client that does not read gets no more messages, and the newest one when it reads again", async () => {
  // One turn of this clock is 100 ms; 300 turns are a round.
  let now = Date.now();
  const turns: (() => void)[] = [];
  const clock = {
    now: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")));
        turns.push(() => {
          now += milliseconds;
          resolve();
        });
      }),
  };
  let text = "1";
  const board = { join: async () => ({ frame: () => Buffer.from(text), leave: () => undefined }) };
  const options = { board, clock, db: database.db, bufferBytes: 1_000, onSent: () => undefined };
  const { startSession } = await createRiskEndpoint(options).enter(handshake("/ws/risk"));
  const [slow, quick] = [createSink(), createSink()];
  const sessions = [slow, quick].map((sink) => startSession(sink));
  const passRound = async () => {
    for (let turn = 0; turn < 301; turn++) {
      for (const pass of turns.splice(0)) pass();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const getTexts = (sink: typeof slow) => sink.frames.map(String);
  slow.unread = 1_001;
  for (text of ["2", "3"]) await passRound();
  expect([getTexts(slow), getTexts(quick)]).toEqual([["1"], ["1", "2", "3"]]);
  slow.unread = 0;
  text = "4";
  await passRound();
  expect([getTexts(slow), getTexts(quick)]).toEqual([
    ["1", "4"],
    ["1", "2", "3", "4"],
  ]);
  for (const session of sessions) session.end();
});

test("accepts the pair of a handshake, and no other parameter", () => {
  expect([readPair("/ws/risk"), readPair("/ws/risk?"), readPair("/ws/risk?pair=BTC_USDT")]).toEqual([
    null,
    null,
    "BTC_USDT",
  ]);
  for (const query of ["pair", "pair=", "pair=btc_usdt", "pair=A_B", "pair=A_USDT&x=1", "pair=A_USDT?pair=B_USDT"])
    expect(() => readPair(`/ws/risk?${query}`), query).toThrow();
});

test("C6-04 a board reads and serializes a pair once for all readers, and requests its risk for them", async () => {
  const { db } = database;
  const id = await storeRiskMarket(db, "ONE_USDT", { days: 2 });
  let framed = 0;
  const log = read.deps.log;
  const board = createRiskBoard({ db, clock: systemClock, log, onFramed: () => framed++ });
  const readers = await Promise.all(Array.from({ length: 200 }, () => board.join("ONE_USDT")));
  expect(framed).toBe(1);
  const frames = new Set(readers.map(({ frame }) => frame()));
  expect(frames.size).toBe(1);
  expect(String([...frames][0])).toContain(
    '"status":"unavailable","stale":false,"horizon_hours":24,"reason":"no_data"',
  );
  expect((await listWantedRisk(db.api)).map((one) => one.market_id)).toEqual([id]);
  for (const { leave } of readers) leave();
});

test("C9-15 a message without new data becomes stale, then unavailable, also for a removed market", async () => {
  const { db } = database;
  const id = await storeRiskMarket(db, "AGED_USDT", { days: 2, lastTime: getLastHour() });
  const computer = createRiskComputer({ clock: systemClock });
  const market = (await findMarket(db.read, "AGED_USDT", getLastHour() + 3_700))!;
  const bars = await readRiskBars(db.read, market, getLastHour() + 3600);
  await storeRisk(db.api, id, "1", await computer.compute({ bars, stored: [] }));
  await computer.stop();

  let [hours, isDown] = [0, false];
  const clock = { now: () => Date.now() + hours * 3_600_000, sleep: systemClock.sleep };
  const readOrFail = {
    query: (...all: unknown[]) => {
      if (isDown) return Promise.reject(new Error("the database does not answer"));
      return (db.read.query as (...all: unknown[]) => unknown)(...all);
    },
  } as unknown as typeof db.read;
  const log = read.deps.log;
  const board = createRiskBoard({ db: { ...db, read: readOrFail }, clock, log, onFramed: () => undefined });
  const { frame, leave } = await board.join("AGED_USDT");
  const getSnapshot = () => JSON.parse(frame().subarray(4).toString()).snapshot;
  expect(getSnapshot()).toMatchObject({ status: "fresh", stale: false, reason: "too_short" });
  const expectLater = async (expected: object) => {
    await db.api.query("select pg_notify('slipway_risk', $1)", [String(id)]);
    await expect.poll(getSnapshot).toMatchObject(expected);
  };
  isDown = true;
  hours = 4;
  await expectLater({ status: "stale", stale: true, price: expect.any(Number) });
  hours = 8;
  await expectLater({ status: "unavailable", stale: false, price: null, reason: "no_data" });
  [hours, isDown] = [0, false];
  await expectLater({ status: "fresh", price: expect.any(Number) });
  await db.api.query("update app.markets set tracked = false where id = $1", [id]);
  await expectLater({ status: "unavailable", price: null, reason: "no_data" });
  leave();
});

test("demand that lasts long enough is not written again", async () => {
  const { db } = database;
  const id = await storeRiskMarket(db, "SAME_USDT", { days: 1 });
  const version = async () => {
    const sql = "select xmin::text, wanted_until from app.risk_demand where market_id = $1";
    return (await db.api.query(sql, [id])).rows[0];
  };
  await wantRisk(db.api, [id]);
  const first = await version();
  await wantRisk(db.api, [id]);
  expect(await version()).toEqual(first);
  await db.api.query("update app.risk_demand set wanted_until = now() + interval '50 seconds' where market_id = $1", [
    id,
  ]);
  const shorter = await version();
  await wantRisk(db.api, [id]);
  expect((await version()).wanted_until > shorter.wanted_until).toBe(true);
});

test("demand can be renewed, ends, and is never shortened", async () => {
  const { db } = database;
  const id = await storeRiskMarket(db, "TWO_USDT", { days: 1 });
  const isWanted = async () => (await listWantedRisk(db.api)).some((one) => one.market_id === id);
  expect(await isWanted()).toBe(false);
  await wantRisk(db.api, [id, 999_999]);
  expect(await isWanted()).toBe(true);
  await db.api.query("update app.risk_demand set wanted_until = now() + interval '1 hour' where market_id = $1", [id]);
  await wantRisk(db.api, [id]);
  const { rows } = await db.api.query<{ long: boolean }>(
    "select wanted_until > now() + interval '50 minutes' as long from app.risk_demand where market_id = $1",
    [id],
  );
  expect(rows).toEqual([{ long: true }]);
  await db.api.query("update app.risk_demand set wanted_until = now() where market_id = $1", [id]);
  expect(await isWanted()).toBe(false);
});
