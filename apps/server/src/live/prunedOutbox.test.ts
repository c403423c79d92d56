import { createLiveFeed } from "./createLiveFeed.ts";
import { createReadModel } from "../cache/createReadModel.ts";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { toAddress, insert, insertIndex } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const world = useReadApp();
const token = toAddress(1);

const tell = async (id: number) =>
  await insert(world.database.db, "chain.outbox", {
    id,
    block_number: 1,
    kind: "trade",
    token: toAddress(id),
    payload: {},
  });
const prune = async () => await world.database.db.indexer.query("delete from chain.outbox");

test("a read model whose database was away while rows were pruned builds everything anew", async () => {
  const { db } = world.database;
  await insertIndex(db);
  await tell(1);
  const options = { clock: { now: () => 1 }, maxBytes: 1_000_000, ethUsdSource: () => null };
  const model = createReadModel({ db: db.read, ...options });
  let built = 0;
  const ask = async () => await model.getResponse("k", [`token:${token}`], async () => ++built);
  await ask();
  // Meanwhile: something of the token, which is pruned, and something of another.
  await tell(2);
  await prune();
  await tell(5);
  await model.sync();
  await ask();
  expect(built).toBe(2);

  // A gap that a failed commit left is none.
  await tell(8);
  await model.sync();
  await ask();
  expect(built).toBe(2);
});

test("a live feed whose database was away while rows were pruned says so to its readers", async () => {
  const { db } = world.database;
  await insertIndex(db);
  await tell(1);
  let wake: () => void = () => undefined;
  let isAway = false;
  const reading = {
    query: (...args: unknown[]) => (isAway ? Promise.reject(new Error("away")) : (db.read as any).query(...args)),
  };
  const feed = createLiveFeed({
    db: reading as never,
    clock: { sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())) },
    log: pino({ level: "silent" }),
    listen: (call) => {
      wake = call;
      return { stop: async () => undefined };
    },
  });
  onTestFinished(() => feed.leave());
  expect(await feed.join()).toBe(1);
  isAway = true;
  await tell(2);
  wake();
  await prune();
  await tell(5);
  isAway = false;
  wake();
  await vi.waitFor(() => expect(feed.newest()).toBe(5), 60_000);
  expect(await feed.readAfter(1)).toEqual({ kind: "gap", newest: 5 });

  await tell(8);
  wake();
  await vi.waitFor(() => expect(feed.newest()).toBe(8), 60_000);
  expect(await feed.readAfter(5)).toMatchObject({ kind: "messages", messages: [{ cursor: 8 }] });
});
