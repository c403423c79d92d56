import { describe, expect } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { pollOptions } from "../support/security/liveClient.ts";

const [list, one] = ["GET /api/risk", "GET /api/risk/{pair}"] as const;
const getCards = async () => (await call(list)).body.cards as { pair: string; status: string; price: number | null }[];

describe(list, () => {
  statusCase(list, 200, "returns a card for each market, without numbers where it is unavailable", async () => {
    for (const { status, price } of await getCards()) if (status === "unavailable") expect(price).toBeNull();
  });

  statusCase(list, 403, "needs a plan", async () => {
    const { headers } = await signIn(target.siteUrl);
    const { status, body } = await call(list, { key: null, headers });
    expect([status, body.error.code]).toEqual([403, "plan_required"]);
  });
});

describe(one, () => {
  statusCase(one, 200, "returns the risk of a market with current prices, and its last hours", async () => {
    const findFresh = async () => {
      const { body: markets } = await call("GET /api/markets");
      return markets.items.find(({ status }: { status: string }) => status === "fresh");
    };
    await expect.poll(findFresh, pollOptions).toBeDefined();
    const fresh = await findFresh();
    await expect.poll(async () => (await call(one, { path: { pair: fresh.pair } })).status, pollOptions).toBe(200);
    const { body } = await call(one, { path: { pair: fresh.pair } });
    expect(body.snapshot).toMatchObject({ pair: fresh.pair, horizon_hours: 24 });
    expect(body.snapshot.price).toBeGreaterThan(0);
    expect(body.history.length).toBeGreaterThan(0);
    await expect.poll(async () => (await getCards()).find(({ pair }) => pair === fresh.pair)!.price).toBeGreaterThan(0);
  });

  statusCase(one, 403, "needs a plan", async () => {
    const { headers } = await signIn(target.siteUrl);
    const { status, body } = await call(one, { path: { pair: "BTC_USDT" }, key: null, headers });
    expect([status, body.error.code]).toEqual([403, "plan_required"]);
  });

  statusCase(one, 404, "answers 404 for a pair without a market", async () => {
    const { status, body } = await call(one, { path: { pair: "NONE_USDT" } });
    expect([status, body.error.code]).toEqual([404, "pair_not_found"]);
  });

  statusCase(one, 400, "refuses what is no pair", async () => {
    for (const pair of ["btc_usdt", "BTC", "BTC_", "BTC_USDT_X", "%00", `${"A".repeat(42)}_USDT`]) {
      const { status, body } = await call(one, { path: { pair } });
      expect([status, body.error.code], pair).toEqual([400, "invalid_request"]);
    }
  });
});
