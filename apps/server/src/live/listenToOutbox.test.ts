import { expect, onTestFinished, test } from "vitest";
import { insertIndex } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import { startReadModel } from "../cache/startReadModel.ts";
import { openDatabase } from "../db/database.ts";
import { createDeps } from "../deps.ts";

const fixture = useReadApp();

test("a listener uses no connection of the requests' pool", async () => {
  await insertIndex(fixture.database.db);
  const { config, log } = fixture.read.deps;
  const db = openDatabase({ ...config, DATABASE_URL: fixture.database.url, DATABASE_POOL_SIZE: 2 }, log);
  const deps = createDeps({ ...fixture.read.deps, db });
  const follower = startReadModel(deps);
  const feed = deps.liveFeed;
  await feed.join();
  onTestFinished(async () => {
    feed.leave();
    await follower.stop();
    await db.close();
  });
  const listening =
    "select 1 from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()";
  await expect.poll(async () => (await fixture.database.db.indexer.query(listening)).rowCount).toBe(2);
  const clients = await Promise.all([db.api.connect(), db.api.connect()]);
  for (const client of clients) client.release();
});
