import { startReadModel } from "./startReadModel.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { toAddress, insert, insertIndex, insertToken } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const world = useReadApp();
const token = toAddress(1_001);

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(check, { timeout: 60_000, interval: 2 });
}

/** The model answers without looking by itself: with a clock that stands still only a wake-up can tell it. */
async function follow() {
  const { db } = world.database;
  await insertIndex(db);
  await insertToken(db, 1);
  const deps = { ...world.read.deps };
  const follower = startReadModel(deps);
  onTestFinished(() => follower.stop());
  const model = deps.readModel;
  const build = async (read: any) =>
    (await read.query("select holders from chain.token_state where token_id = 1")).rows[0].holders;
  const holders = async () => Number((await model.getResponse("k", [`token:${token}`], build)).bytes.toString());
  await until(() => model.size().responses > 0 || holders().then(() => true));
  return { db, follower, model, holders };
}

/** As the indexer commits: rows, outbox and notification in one transaction. */
async function commit(holders: number): Promise<void> {
  const client = await world.database.db.indexer.connect();
  await client.query("begin");
  await client.query("update chain.token_state set holders = $1", [holders]);
  await client.query("insert into chain.outbox (block_number, kind, token, payload) values (1, 'trade', $1, '{}')", [
    token,
  ]);
  await client.query("select pg_notify('slipway_outbox', '1')");
  await client.query("commit");
  client.release();
}

test("hears of a commit within moments", async () => {
  const { holders } = await follow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const wanted of [5, 6, 7]) {
    await commit(wanted);
    await expect.poll(holders, { timeout: 60_000, interval: 2 }).toBe(wanted);
  }
});

test("goes on after its connection was ended by the server", async () => {
  const { db, holders } = await follow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await db.indexer.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()",
  );
  await commit(9);
  await until(async () => (await holders()) === 9);
  await until(async () => {
    const { rowCount } = await db.indexer.query(
      "select 1 from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()",
    );
    return rowCount === 1;
  });
  await commit(10);
  await until(async () => (await holders()) === 10);
});

test("stops answering when the index falls silent, without any commit", async () => {
  const { db, holders } = await follow();
  await db.indexer.query("update chain.status set state = 'halted'");
  await until(() =>
    holders().then(
      () => false,
      (error) => error.code === "index_unavailable",
    ),
  );
});

test("lets go of its connection when it is stopped", async () => {
  const { db, follower } = await follow();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await follower.stop();
  await until(async () => {
    const { rowCount } = await db.indexer.query(
      "select 1 from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()",
    );
    return rowCount === 0;
  });
});

test("takes thousands of changes at once for a change of everything", async () => {
  const { db, holders } = await follow();
  await holders();
  await db.indexer.query("update chain.token_state set holders = 12");
  await db.indexer.query(
    `insert into chain.outbox (block_number, kind, token, payload)
     select 1, 'trade', '0x' || lpad(to_hex(n), 40, '0'), '{}' from generate_series(1, 6000) n`,
  );
  await insert(db, "chain.outbox", { id: 1_000_000, block_number: 1, kind: "eth_usd", payload: "{}" });
  await until(async () => (await holders()) === 12);
});
