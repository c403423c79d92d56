import { once } from "node:events";
import { onTestFinished, test, vi } from "vitest";
import { insert, insertIndex, insertToken, toAddress } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import type { Clock } from "../clock.ts";
import type { Queryable } from "../db/database.ts";
import { createReadModel } from "./createReadModel.ts";
import { startReadModel } from "./startReadModel.ts";

const fixture = useReadApp();
const token = toAddress(1_001);

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(check, { timeout: 60_000, interval: 2 });
}

/** Follows the outbox with a read model. @param clock - Default: the server's clock. */
async function follow(clock: Clock = fixture.read.deps.clock) {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1);
  const model = createReadModel({ db, clock, maxBytes: 2 ** 20, ethUsdSource: () => null });
  const follower = startReadModel({ ...fixture.read.deps, clock, readModel: model });
  onTestFinished(() => follower.stop());
  const build = async (read: Queryable) => {
    const { rows } = await read.query<{ holders: number }>("select holders from chain.token_state where token_id = 1");
    return rows[0]!.holders;
  };
  const holders = async () => Number((await model.getResponse("k", [`token:${token}`], build)).bytes.toString());
  await until(() => model.size().responses > 0 || holders().then(() => true));
  return { db, follower, model, holders };
}

/** Commits as the indexer does: rows, outbox and notification in one transaction. */
async function commit(holders: number): Promise<void> {
  const client = await fixture.database.db.indexer.connect();
  await client.query("begin");
  await client.query("update chain.token_state set holders = $1", [holders]);
  await client.query("insert into chain.outbox (block_number, kind, token, payload) values (1, 'trade', $1, '{}')", [
    token,
  ]);
  await client.query("select pg_notify('slipway_outbox', '1')");
  await client.query("commit");
  client.release();
}

test("a notification updates the model without any poll", async () => {
  // With a constant time, the model counts as current and the follower's pauses last until a notification.
  const { clock } = fixture.read.deps;
  const { holders } = await follow({
    ...clock,
    now: () => 0,
    sleep: async (_milliseconds, signal) => {
      if (signal?.aborted === false) await once(signal, "abort");
    },
  });
  await isListening(1);
  for (const expected of [5, 6, 7]) {
    await commit(expected);
    await until(async () => (await holders()) === expected);
  }
});

async function isListening(connections: number): Promise<void> {
  const listening =
    "select 1 from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()";
  await until(async () => (await fixture.database.db.indexer.query(listening)).rowCount === connections);
}

test("the follower reconnects after the server ended its connection", async () => {
  const { db, holders } = await follow();
  await isListening(1);
  await db.indexer.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()",
  );
  await commit(9);
  await until(async () => (await holders()) === 9);
  await isListening(1);
  await commit(10);
  await until(async () => (await holders()) === 10);
});

test("the model rejects reads when the index halts, without a commit", async () => {
  const { db, holders } = await follow();
  await db.indexer.query("update chain.status set state = 'halted'");
  await until(() =>
    holders().then(
      () => false,
      (error) => error.code === "index_unavailable",
    ),
  );
});

test("the follower closes its connection when it is stopped", async () => {
  const { follower } = await follow();
  await isListening(1);
  await follower.stop();
  await isListening(0);
});

test("thousands of changes at once invalidate all responses", async () => {
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
