import { describe, expect, test } from "vitest";
import { createReadApp } from "../../../../tests/support/server/readApp.ts";
import { insertIndex, insertToken, toAddress } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);
const indexed = ["/tokens", `/tokens/${token}`, `/tokens/${token}/trades`, `/tokens/${token}/candles`, "/analytics"];

describe.each(indexed)("GET %s", (path) => {
  test.each([
    ["nothing is indexed", null],
    ["the indexer is starting", { state: "starting" }],
    ["the index is being built", { state: "backfilling" }],
    ["the indexer has halted", { state: "halted", reason: "deep reorg seen at https://key@node.example/v1/secret" }],
    ["the index is far behind", { head_time: 9_000_000_000 }],
    ["no indexer reports", { updated_at: new Date(Date.now() - 60_000) }],
  ])("C2-02 answers 503 while %s, and the reason contains no secret", async (_name, status) => {
    if (status !== null) {
      await insertIndex(fixture.database.db, status);
      await insertToken(fixture.database.db, 1);
    }
    const { status: code, json, headers, body } = await fixture.read.get(path);
    expect([code, json.error.code, json.error.retryable]).toEqual([503, "index_unavailable", true]);
    expect(headers["retry-after"]).toBeDefined();
    expect(headers["cache-control"]).toBe("no-store");
    expect(body.toString()).not.toMatch(/secret|node\.example/);
  });

  test("answers 503 when a live index halts, and answers again when the index is live", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1);
    expect((await fixture.read.get(path)).status).toBe(200);
    await db.indexer.query("update chain.status set state = 'halted'");
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect((await fixture.read.get(path)).status).toBe(503);
    await db.indexer.query("update chain.status set state = 'live'");
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect((await fixture.read.get(path)).status).toBe(200);
  });

  test("C3-03 answers 503 storage_unavailable when the database is gone, also for cached responses", async () => {
    const { db, url } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1);
    const { openDatabase } = await import("../db/database.ts");
    const other = openDatabase({ ...fixture.read.deps.config, DATABASE_URL: url }, fixture.read.deps.log);
    const read = await createReadApp(other);
    expect((await read.get(path)).status).toBe(200);
    await other.close();
    await new Promise((resolve) => setTimeout(resolve, 40));
    const { status, json, headers } = await read.get(path);
    expect([status, json.error.code]).toEqual([503, "storage_unavailable"]);
    expect(headers["retry-after"]).toBeDefined();
  });
});
