import { tokenFacts } from "@slipway/protocol/facts";
import { describe, expect, test } from "vitest";
import {
  headTime,
  insertEthUsd,
  insertIndex,
  insertToken,
  toAddress,
} from "../../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../../tests/support/server/useReadApp.ts";
import { moderate } from "../../moderation/queries.ts";

const fixture = useReadApp();
const getFacts = async (n: number) => {
  const { status, json } = await fixture.read.get(`/tokens/${toAddress(1_000 + n)}/facts`);
  expect(status).toBe(200);
  return tokenFacts.parse(json);
};
const toValues = ({ facts }: Awaited<ReturnType<typeof getFacts>>) =>
  Object.fromEntries(facts.map(({ id, value }) => [id, value]));

describe("GET /tokens/{address}/facts", () => {
  test("facts of an index of earlier rules are null, never zero", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const unknown = { creator_received: null, creator_sent: null, creator_bought: null, creator_sold: null };
    const more = { traded: null, round_trips_block: null, round_trips_300s: null, holders_without_buy: null };
    await insertToken(db, 1, {}, { ...unknown, ...more });
    const { top_10_share, privileged_functions, liquidity_locked, fee_total, fee_protocol, ...others } = toValues(
      await getFacts(1),
    );
    expect([top_10_share, privileged_functions, liquidity_locked, fee_total, fee_protocol]).toEqual([
      0, 0, 100, 1, 0.1,
    ]);
    expect(Object.values(others).filter((value) => value !== null)).toEqual([]);
    const { facts } = (await fixture.read.get("/tokens?sort=new")).json.items[0];
    expect(Object.values(facts).filter((value) => value !== null)).toEqual([]);
  });

  test("a launch without a trade has zeros, and no share of a volume of zero", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, { creator_launches: 0 });
    expect(toValues(await getFacts(1))).toMatchObject({
      creator_share: 0,
      launch_block_buyers: 0,
      first_60_seconds_held: 0,
      round_trips_block: null,
      earlier_launches: 0,
      first_buyers_funded_by_creator: null,
    });
  });

  test("lists the newest 20 earlier launches of the creator, and a blocked one without its name", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 2_000, { block: 4_990, time: headTime - 60 });
    for (let n = 1; n <= 23; n++) {
      const state = { creator_sold: (10n ** 26n).toString(), last_trade_time: headTime - n * 86_400 };
      await insertToken(db, n, { creator_launches: n - 1 }, state);
    }
    await insertToken(db, 24, { creator: toAddress(9), creator_launches: 0 });
    const target = toAddress(1_022);
    await moderate(db.api, { kind: "token", target, blocked: true, reason: "test", administrator: null });
    const { earlier_launches: earlier, ...body } = await getFacts(23);
    expect(toValues({ ...body, earlier_launches: earlier }).earlier_launches).toBe(22);
    expect(earlier.map(({ symbol }) => symbol)).toEqual([null, ...Array.from({ length: 19 }, (_, n) => `T${21 - n}`)]);
    expect(earlier[1]).toMatchObject({ creator_sold_pct: 10, traded_in_7_days: false });
    expect(earlier.at(-1)).toMatchObject({ symbol: "T3", traded_in_7_days: true });
    expect(earlier[1]!.liquidity_usd).toBeCloseTo(earlier[1]!.liquidity_eth! * 2_000, 6);
    expect((await getFacts(24)).earlier_launches).toEqual([]);
  });
});
