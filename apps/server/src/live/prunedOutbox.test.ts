import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { insert, insertIndex, toAddress } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import { createReadModel } from "../cache/createReadModel.ts";
import { createLiveFeed } from "./createLiveFeed.ts";

const fixture = useReadApp();
const token = toAddress(1);

const publish = async (id: number) =>
  await insert(fixture.database.db, "chain.outbox", {
    id,
    block_number: 1,
    kind: "trade",
    token: toAddress(id),
    payload: {},
  });
const prune = async () => await fixture.database.db.indexer.query("delete from chain.outbox");

test("a read model rebuilds all responses if rows were pruned while the database was unreachable", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await publish(1);
  const options = { clock: { now: () => 1 }, maxBytes: 1_000_000, ethUsdSource: () => null };
  const model = createReadModel({ db, ...options });
  let built = 0;
  const request = async () => await model.getResponse("k", [`token:${token}`], async () => ++built);
  await request();
  // A change of the token, which is pruned, and a change of another token.
  await publish(2);
  await prune();
  await publish(5);
  await model.sync();
  await request();
  expect(built).toBe(2);

  // A gap from a failed transaction is not a change.
  await publish(8);
  await model.sync();
  await request();
  expect(built).toBe(2);
});

test("a live feed reports a gap to its readers if rows were pruned while the database was unreachable", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await publish(1);
  let wake: () => void = () => undefined;
  let isUnreachable = false;
  const reading = {
    query: (...args: unknown[]) =>
      isUnreachable ? Promise.reject(new Error("unreachable")) : (db.read as any).query(...args),
  };
  const feed = createLiveFeed({
    db: reading as never,
    clock: { sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())) },
    log: pino({ level: "silent" }),
    listen: (call) => {
      wake = call;
      return { stop: async () => undefined };
    },
    prepareDelivery: async () => undefined,
  });
  onTestFinished(() => feed.leave());
  expect(await feed.join()).toBe(1);
  isUnreachable = true;
  await publish(2);
  wake();
  await prune();
  await publish(5);
  isUnreachable = false;
  wake();
  await vi.waitFor(() => expect(feed.newest()).toBe(5), 60_000);
  expect(await feed.readAfter(1)).toEqual({ kind: "gap", newest: 5 });

  await publish(8);
  wake();
  await vi.waitFor(() => expect(feed.newest()).toBe(8), 60_000);
  expect(await feed.readAfter(5)).toMatchObject({ kind: "messages", messages: [{ cursor: 8 }] });
});
