import { expect, test } from "vitest";
import {
  headBlock,
  headTime,
  insert,
  insertEthUsd,
  insertIndex,
  insertToken,
} from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();

test("a reorganisation that retracts an ETH/USD observation invalidates the values that used it", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  const token = await insertToken(db, 1);
  await insertEthUsd(db, 2_000, { block: 10 });
  await insertEthUsd(db, 2_010, { block: 4_999 });
  const price = async () => (await fixture.read.get(`/tokens/${token}`)).json.price_usd as number;
  const before = await price();
  await db.indexer.query("delete from chain.eth_usd where block_number > 4998");
  const payload = JSON.stringify({ above_block: 4_998, trades: [], launches: [], tokens: [] });
  await insert(db, "chain.outbox", { block_number: 4_998, kind: "retracted", payload });
  await expect.poll(price).toBeCloseTo((before * 2_000) / 2_010, 12);
});

test("C2-23 an observation of the newest block moves no figure, and moves all figures when most of the window has its price", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  const token = await insertToken(db, 1);
  await insertEthUsd(db, 2_000, { block: 10 });
  const read = async () => (await fixture.read.get(`/tokens/${token}`)).json;
  const { price_usd: before, price_eth } = await read();
  expect(before).toBeCloseTo(price_eth * 2_000, 12);
  await insertEthUsd(db, 2_090, { block: headBlock, time: headTime });
  const payload = JSON.stringify({ schema_version: 1, price: 2_090, block_number: headBlock, block_time: headTime });
  await insert(db, "chain.outbox", { block_number: headBlock, kind: "eth_usd", payload });
  await expect.poll(async () => (await fixture.read.get("/config")).json.oracle.block_number).toBe(headBlock);
  expect((await read()).price_usd).toBe(before);
  // No observation and no new minute: only the window moves.
  const advance = async (seconds: number) =>
    void (await db.indexer.query(
      `with c as (update chain.checkpoint set block_number = $1, block_time = $2)
       update chain.status set head_block = $1, head_time = $2`,
      [headBlock + seconds, headTime + seconds],
    ));
  await advance(300);
  await expect.poll(async () => (await fixture.read.get("/analytics")).json.as_of.block_number).toBe(headBlock + 300);
  expect((await read()).price_usd).toBe(before);
  await advance(301);
  await expect.poll(async () => (await read()).price_usd).toBeCloseTo(price_eth * 2_090, 12);
});
