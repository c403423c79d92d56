import { once } from "node:events";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { insert, insertIndex, toAddress } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import { createReadModel } from "../cache/createReadModel.ts";
import { createLiveFeed } from "./createLiveFeed.ts";

const fixture = useReadApp();
const token = toAddress(1);

const publish = async (id: number) => {
  const row = { id, block_number: 1, kind: "trade", token, payload: {} };
  await insert(fixture.database.db, "chain.outbox", row);
};

/** A clock whose time is constant, so that a cached response never expires, and whose pauses end only by an abort. */
const clock = {
  now: () => 0,
  sleep: async (_milliseconds: number, signal?: AbortSignal) => {
    if (signal?.aborted === false) await once(signal, "abort");
  },
};

test("C6-07 a client that received a message gets no older cached response from the same process", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await publish(1);
  const model = createReadModel({ db, clock, maxBytes: 1_000_000, ethUsdSource: () => null });
  let wake = () => {};
  const feed = createLiveFeed({
    db: db.read,
    clock,
    log: pino({ level: "silent" }),
    listen: (call) => {
      wake = call;
      return { stop: async () => undefined };
    },
    prepareDelivery: model.syncTo,
  });
  const cursor = await feed.join();
  onTestFinished(() => feed.leave());
  const read = async () =>
    await model.getResponse("k", [`token:${token}`], async (queryable) => {
      const { rows } = await queryable.query<{ newest: number }>("select max(id) as newest from chain.outbox");
      return rows[0]!.newest;
    });
  // Without a notification, only the delivery of the message can invalidate this response.
  expect(String((await read()).bytes)).toBe("1");
  for (const id of [2, 3]) {
    await publish(id);
    wake();
    await expect.poll(() => feed.readAfter(id - 1)).toMatchObject({ messages: [{ cursor: id }] });
    expect(model.peek("k")).toBeUndefined();
    expect(String((await read()).bytes)).toBe(String(id));
  }
  expect(await feed.readAfter(cursor)).toMatchObject({ messages: [{ cursor: 2 }, { cursor: 3 }] });
});

test("C6-07 a reader that lags behind memory gets no message before the process has applied it", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await publish(1);
  await publish(2);
  const feed = createLiveFeed({
    db: db.read,
    clock,
    log: pino({ level: "silent" }),
    listen: () => ({ stop: async () => undefined }),
    prepareDelivery: async (newest) => {
      if (newest > 2) throw new Error("the database is unreachable");
    },
  });
  expect(await feed.join()).toBe(2);
  onTestFinished(() => feed.leave());
  await publish(3);
  expect(await feed.readAfter(1)).toMatchObject({ messages: [{ cursor: 2 }] });
});
