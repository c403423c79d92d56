import { expect, test } from "vitest";
import {
  headTime,
  insert,
  insertIndex,
  insertToken,
  toAddress,
  toHash,
} from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();

test("as_of is final once its block is older than the oldest block that a reorganisation can undo", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  // Its last change is in block 101.
  await insertToken(db, 1);
  // The locked liquidity of the launch.
  await insert(db, "chain.pool_changes", {
    ...{ token_id: 1, block_number: 101, block_time: 1, log_index: 2, tx_index: 0, kind: "mint" },
    ...{ tx_hash: Buffer.alloc(32), token_amount: 1, quote_amount: 0, reserve_token: 1, reserve_quote: 0 },
  });
  const paths = [
    ...["", "/holders", "/traders", "/traders?sort=unrealized", "/liquidity-changes", "/depth"].map(
      (path) => `/tokens/${toAddress(1_001)}${path}`,
    ),
    "/tokens",
  ];
  const read = async () => {
    const answers = await Promise.all(paths.map((path) => fixture.read.get(path)));
    return answers.map(({ json }) => [json.as_of.block_number, json.as_of.finality]);
  };
  const store = async (block: number) => {
    await insert(db, "chain.headers", {
      block_number: block,
      block_hash: toHash(block),
      block_time: headTime,
      batch_id: 1,
      is_batch_end: true,
    });
    await db.indexer.query("delete from chain.headers where block_number < $1", [block]);
    await db.indexer.query("update chain.checkpoint set block_time = block_time + 60");
    await db.indexer.query("update chain.status set head_time = head_time + 60");
    await fixture.read.deps.readModel.sync();
  };
  expect(await read()).toEqual(paths.map(() => [101, "soft"]));
  await store(100);
  expect(await read()).toEqual(paths.map(() => [101, "soft"]));
  // The next minute shows it, without a change of the token.
  await store(101);
  expect(await read()).toEqual(paths.map(() => [101, "final"]));
  const { as_of } = (await fixture.read.get("/analytics")).json;
  expect([as_of.block_number, as_of.finality]).toEqual([5_000, "soft"]);
});
