import { describe, expect, test } from "vitest";
import { isShown, toTokensInput } from "./exploreSearch.ts";

describe("the search of explore", () => {
  test("asks for the first page of the HTML if nothing is chosen", () => {
    expect(toTokensInput({})).toEqual({ sort: "volume", limit: 50 });
  });

  test("gives the service its filters in its units", () => {
    const creator = `0x${"12".repeat(20)}`;
    expect(toTokensInput({ q: "tin", sort: "new", age: "2", liq: "100", vol: "5", holders: "9", creator })).toEqual({
      q: "tin",
      sort: "new",
      limit: 50,
      max_age_seconds: 7_200,
      min_liquidity_usd: 100,
      min_volume_usd_24h: 5,
      creator,
    });
  });

  test("asks for a direction only if it is chosen", () => {
    expect(toTokensInput({ sort: "trades", direction: "asc" })).toEqual({
      sort: "trades",
      direction: "asc",
      limit: 50,
    });
  });

  test.each([
    [{ holders: 9, price_change_24h_pct: 5 }, {}, true],
    [{ holders: 9, price_change_24h_pct: 5 }, { holders: "10" }, false],
    [{ holders: 10, price_change_24h_pct: -20 }, { holders: "10", change: "-20" }, true],
    [{ holders: 10, price_change_24h_pct: -21 }, { change: "-20" }, false],
    [{ holders: null, price_change_24h_pct: null }, { change: "0" }, false],
  ])("compares %o with %o in the page: %s", (token, search, shown) => {
    expect(isShown(token as never, search)).toBe(shown);
  });
});
