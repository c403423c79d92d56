import { indexAnalytics } from "@slipway/protocol/indexed";
import { describe, expect, test } from "vitest";
import { headTime, insert, insertIndex } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();

const sums = (n: number, usd: string | null) => ({
  launches: n,
  trades: n * 10,
  volume_quote: "1",
  volume_usd: usd,
  fees_usd: usd,
  fees_protocol_usd: usd,
  fees_collaborators_usd: usd,
});

describe("GET /analytics", () => {
  test("returns zeros and the coverage for an empty index", async () => {
    await insertIndex(fixture.database.db);
    const { status, json } = await fixture.read.get("/analytics");
    expect(status).toBe(200);
    expect(indexAnalytics.parse(json)).toEqual(json);
    expect(json).toEqual({
      launches_total: 0,
      launches_24h: 0,
      trades_covered: 0,
      trades_24h: 0,
      traders_24h: 0,
      volume_usd_24h: 0,
      volume_usd_total: 0,
      fees_usd_24h: 0,
      fees_collaborators_usd: 0,
      fees_protocol_usd: 0,
      coverage: {
        from_block: 1,
        to_block: 5_000,
        head_block: 5_000,
        lag_seconds: 0,
        complete: true,
        message: "Complete: the totals cover every launch and trade from block 1 to block 5000, the chain's head.",
      },
      as_of: { block_number: 5_000, timestamp: new Date(headTime * 1000).toISOString(), finality: "soft" },
    });
  });

  test("sums all time and the last 24 h, which are minute buckets up to the head's minute", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insert(db, "chain.totals", { seconds: 0, t: 0, ...sums(9, "9000000") });
    for (const [age, n] of [
      [0, 1],
      [86_340, 2],
      [86_400, 4],
    ] as const) {
      await insert(db, "chain.totals", { seconds: 60, t: headTime - age, ...sums(n, `${n}000000`) });
    }
    for (const [account, age] of [
      [1, 0],
      [2, 86_340],
      [3, 86_341],
      [4, 90_000],
    ] as const) {
      await insert(db, "chain.traders", { token_id: 0, account_id: account, last_time: headTime - age });
      await insert(db, "chain.traders", { token_id: 1, account_id: account, last_time: headTime - age });
    }
    const { json } = await fixture.read.get("/analytics");
    expect(json).toMatchObject({
      launches_total: 9,
      launches_24h: 3,
      trades_covered: 90,
      trades_24h: 30,
      traders_24h: 2,
      volume_usd_24h: 3,
      volume_usd_total: 9,
      fees_usd_24h: 3,
      fees_collaborators_usd: 9,
      fees_protocol_usd: 9,
    });
  });

  test("returns null for a USD sum with an unknown part", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insert(db, "chain.totals", { seconds: 0, t: 0, ...sums(9, null) });
    await insert(db, "chain.totals", { seconds: 60, t: headTime, ...sums(1, "1000000") });
    const known = (await fixture.read.get("/analytics")).json;
    expect([known.volume_usd_total, known.volume_usd_24h, known.trades_covered]).toEqual([null, 1, 90]);
    await insert(db, "chain.totals", { seconds: 60, t: headTime - 60, ...sums(1, null) });
    await db.indexer.query("update chain.checkpoint set block_number = block_number + 1");
    await new Promise((resolve) => setTimeout(resolve, 30));
    const unknown = (await fixture.read.get("/analytics")).json;
    expect([unknown.volume_usd_24h, unknown.fees_usd_24h, unknown.trades_24h]).toEqual([null, null, 20]);
  });

  test("returns the totals of the new block after a reorganisation at the same height", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insert(db, "chain.totals", { seconds: 0, t: 0, ...sums(9, "9000000") });
    expect((await fixture.read.get("/analytics")).json.trades_covered).toBe(90);
    await db.indexer.query("update chain.totals set trades = 80");
    const payload = JSON.stringify({ above_block: 4_999, trades: [], launches: [], tokens: [] });
    await insert(db, "chain.outbox", { block_number: 4_999, kind: "retracted", payload });
    await expect.poll(async () => (await fixture.read.get("/analytics")).json.trades_covered).toBe(80);
  });

  test("reports the lag of the totals behind the head", async () => {
    await insertIndex(fixture.database.db, { head_block: 5_010, head_time: headTime + 4 });
    const { coverage } = (await fixture.read.get("/analytics")).json;
    expect(coverage).toMatchObject({ to_block: 5_000, head_block: 5_010, lag_seconds: 4, complete: false });
    expect(coverage.message).toMatch(/from block 1 to block 5000; the chain's head is block 5010, 4 s later/);
  });
});
