import { expect, test } from "vitest";
import { insertIndex, insertToken, toAddress } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);

test("C3-05 a read returns 503 when the database exceeds its timeout, and the next read succeeds", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1);
  const paths = ["/tokens", `/tokens/${token}`, `/tokens/${token}/trades`, `/tokens/${token}/candles`];
  const client = await db.indexer.connect();
  try {
    // Readers wait for the table until their statement timeout.
    await client.query("begin");
    await client.query("lock table chain.tokens in access exclusive mode");
    const answers = await Promise.all(paths.map((path) => fixture.read.get(path)));
    for (const { status, json, headers } of answers) {
      expect([status, json.error.code, json.error.retryable]).toEqual([503, "storage_unavailable", true]);
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    }
  } finally {
    await client.query("rollback");
    client.release();
  }
  for (const path of paths) expect((await fixture.read.get(path)).status).toBe(200);
});
