import { expect, it } from "vitest";
import { formatCount, formatPercent, formatShare, formatUsd, shortenAddress } from "./figures.ts";

it.each([
  [9_214.4, "$9.21K"],
  [999_999, "$1.00M"],
  [12, "$12.00"],
  [0.012, "$0.01"],
  [0.004, "<$0.01"],
  [0, "$0.00"],
  [-5.5, "−$5.50"],
  [null, "—"],
])("shows %d dollars as %s", (value, text) => {
  expect(formatUsd(value)).toBe(text);
});

it.each([
  [3.42, "+3.4%"],
  [-2.06, "−2.1%"],
  [0, "0.0%"],
  [-0.04, "0.0%"],
  [1_234.6, "+1,235%"],
  [2_500_000, "+2.5M%"],
  [null, "—"],
])("shows a change of %d as %s", (value, text) => {
  expect(formatPercent(value)).toBe(text);
});

it("shows shares, counts and addresses", () => {
  expect([formatShare(2_500), formatShare(33), formatShare(10_000)]).toEqual(["25%", "0.33%", "100%"]);
  expect([formatCount(1_234), formatCount(1_200_000), formatCount(null)]).toEqual(["1,234", "1.2M", "—"]);
  expect(shortenAddress("0x90F79bf6EB2c4f870365E785982E1f101E93b906")).toBe("0x90F7…b906");
});
