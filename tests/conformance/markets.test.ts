import { describe, expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

const bars = "GET /api/markets/{pair}/bars";

statusCase(
  "GET /api/markets",
  200,
  "returns the markets by pair, with a price or a reason why there is none",
  async () => {
    const { body } = await call("GET /api/markets");
    const pairs = body.items.map(({ pair }: { pair: string }) => pair);
    expect(pairs).toEqual(pairs.toSorted((a: string, b: string) => (a < b ? -1 : 1)));
    for (const { status, reason, price } of body.items) {
      expect([reason === null, price === null]).toEqual([status !== "unavailable", status === "unavailable"]);
    }
  },
);

describe(bars, () => {
  statusCase(bars, 200, "returns closed bars, oldest first", async () => {
    const { body } = await call(bars, { ...validCalls[bars]!(), query: { interval: "1m", limit: 1_000 } });
    const times = body.items.map(({ t }: { t: number }) => t);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const { o, h, l, c } of body.items) expect([l <= Math.min(o, c), h >= Math.max(o, c)]).toEqual([true, true]);
  });

  statusCase(bars, 404, "answers 404 for a pair without a market", async () => {
    const { status, body } = await call(bars, { path: { pair: "NONE_USDT" } });
    expect([status, body.error.code]).toEqual([404, "pair_not_found"]);
  });

  statusCase(bars, 400, "refuses what is no pair", async () => {
    for (const pair of ["btc_usdt", "BTC", "BTC_", "BTC_USDT_X", "%00", `${"A".repeat(42)}_USDT`]) {
      const { status, body } = await call(bars, { path: { pair } });
      expect([status, body.error.code], pair).toEqual([400, "invalid_request"]);
    }
  });
});
