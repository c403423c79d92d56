import { expect, test } from "vitest";
import { insert, insertEthUsd, insertIndex, insertToken } from "../../../../tests/support/server/rows.ts";
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
