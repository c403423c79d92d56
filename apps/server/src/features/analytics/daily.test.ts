import { dailyAnalytics } from "@slipway/protocol/dailyAnalytics";
import { describe, expect, test } from "vitest";
import { headTime, insert, insertIndex } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const day = 86_400;
const today = headTime - (headTime % day);
const toDate = (daysAgo: number) => new Date((today - daysAgo * day) * 1_000).toISOString().slice(0, 10);

const insertDay = (daysAgo: number, usd: string | null = "2000000") =>
  insert(fixture.database.db, "chain.totals", {
    seconds: day,
    t: today - daysAgo * day,
    launches: 1,
    trades: 20,
    volume_quote: (3n * 10n ** 18n).toString(),
    volume_usd: usd,
    fees_usd: usd,
    fees_protocol_usd: usd,
    fees_collaborators_usd: usd,
    traders: 4,
  });

const getDays = async (query = "") => {
  const { status, json } = await fixture.read.get(`/analytics/history${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(dailyAnalytics.parse(json)).toEqual(json);
  return json;
};

describe("GET /analytics/history", () => {
  test("has a row for each day since the first, with zeros where nothing happened", async () => {
    await insertIndex(fixture.database.db);
    // Minutes and the sum of all time are no days.
    await insert(fixture.database.db, "chain.totals", { seconds: 60, t: today - 9 * day, launches: 7 });
    await insert(fixture.database.db, "chain.totals", { seconds: 0, t: 0, launches: 7 });
    for (const daysAgo of [4, 2, 0]) await insertDay(daysAgo);
    const { items, next_before, as_of } = await getDays();
    expect(items.map(({ date }: any) => date)).toEqual([4, 3, 2, 1, 0].map(toDate));
    expect(items[0]).toEqual({
      date: toDate(4),
      launches: 1,
      trades: 20,
      traders: 4,
      volume_eth: 3,
      volume_usd: 2,
      fees_usd: 2,
      fees_collaborators_usd: 2,
      fees_protocol_usd: 2,
      complete: true,
    });
    expect(items[1]).toMatchObject({ launches: 0, trades: 0, traders: 0, volume_usd: 0 });
    expect(items.map(({ complete }: any) => complete)).toEqual([true, true, true, true, false]);
    expect([next_before, as_of.block_number]).toEqual([null, 5_000]);
  });

  test("pages back to the first day, and is null where a USD value is unknown", async () => {
    await insertIndex(fixture.database.db);
    for (const daysAgo of [6, 5, 0]) await insertDay(daysAgo, daysAgo === 5 ? null : "1");
    const found: string[] = [];
    for (let before = ""; ; ) {
      const page = await getDays(`?limit=3${before}`);
      found.unshift(...page.items.map(({ date }: any) => date));
      if (page.next_before === null) break;
      before = `&before=${page.next_before}`;
    }
    expect(found).toEqual([6, 5, 4, 3, 2, 1, 0].map(toDate));
    const page = await getDays(`?before=${toDate(4)}`);
    expect(page.items.map(({ volume_usd }: any) => volume_usd)).toEqual([0.000001, null]);
    expect((await getDays(`?before=${toDate(6)}`)).items).toEqual([]);
    expect((await getDays("?before=9999-12-31")).items).toHaveLength(7);
  });

  test("is 503 while an index of an earlier version is read, which lacks days", async () => {
    await insertIndex(fixture.database.db, {}, { rules: null });
    await insertDay(0);
    const { status, json } = await fixture.read.get("/analytics/history");
    expect([status, json.error.code]).toEqual([503, "index_unavailable"]);
  });

  test("is empty without a launch", async () => {
    await insertIndex(fixture.database.db);
    expect(await getDays()).toMatchObject({ items: [], next_before: null });
  });

  test("is a table with format=csv, with its own ETag", async () => {
    await insertIndex(fixture.database.db);
    await insertDay(0, null);
    const { headers, body } = await fixture.read.get("/analytics/history?format=csv");
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(headers["cache-control"]).toBe("public, max-age=10");
    expect(body.toString()).toBe(
      `date,launches,trades,traders,volume_eth,volume_usd,fees_usd,fees_collaborators_usd,fees_protocol_usd,complete\r\n${toDate(0)},1,20,4,3,,,,,false\r\n`,
    );
    const json = await fixture.read.get("/analytics/history");
    expect(json.headers.etag).not.toBe(headers.etag);
    const again = await fixture.read.get("/analytics/history?format=csv", { "if-none-match": headers.etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test.each([
    "limit=0",
    "limit=1001",
    "before=yesterday",
    "before=2026-02-30",
    "before=2026-1-1",
    "format=xml",
    "format=",
  ])("refuses %s", async (query) => {
    await insertIndex(fixture.database.db);
    expect((await fixture.read.get(`/analytics/history?${query}`)).json.error.code).toBe("invalid_query");
  });
});
