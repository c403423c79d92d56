import { describe, expect, test } from "vitest";
import { columnSorts, getColumnDirection, pressColumn, reverseOrder } from "./exploreOrder.ts";

describe("the order of explore", () => {
  test.each([
    [{}, { sort: undefined, direction: "asc" }],
    [{ direction: "asc" }, { direction: undefined }],
    [{ sort: "new" }, { sort: "new", direction: "asc" }],
    [
      { sort: "new", direction: "desc" },
      { sort: "new", direction: "asc" },
    ],
    [{ sort: "gainers" }, { sort: "losers" }],
    [{ sort: "losers" }, { sort: "gainers" }],
    [{ sort: "losers", direction: "desc" }, { sort: "losers" }],
    [{ sort: "gainers", direction: "asc" }, { sort: "gainers" }],
  ] as const)("reverses %o to %o", (order, reversed) => {
    expect(reverseOrder(order)).toEqual(reversed);
  });

  test("a press on a header orders by its column, and the next press reverses it", () => {
    for (const key of Object.keys(columnSorts)) {
      const other = { sort: "trades", direction: "asc" } as const;
      expect(getColumnDirection(key, other)).toBeNull();
      const first = pressColumn(key, other);
      expect(getColumnDirection(key, first)).toBe("desc");
      const second = pressColumn(key, first);
      expect(getColumnDirection(key, second)).toBe("asc");
      expect(getColumnDirection(key, pressColumn(key, second))).toBe("desc");
    }
    expect(getColumnDirection("volume", {})).toBe("desc");
    expect(getColumnDirection("token", {})).toBeNull();
  });
});
