import { expect, test } from "vitest";
import { formatFraction, formatPercentage } from "./share.ts";

test.each([
  [0, "0.00%"],
  [0.00001, "<0.01%"],
  [0.00005, "0.01%"],
  [0.12345, "12.35%"],
  [1, "100.00%"],
  [null, "—"],
  [Number.NaN, "—"],
])("%s of a whole is %s", (value, text) => {
  expect(formatFraction(value)).toBe(text);
});

test.each([
  [0, "0%"],
  [0.004, "<0.01%"],
  [0.1, "0.1%"],
  [3.456, "3.46%"],
  [100, "100%"],
  [null, "—"],
])("%s percent is %s", (value, text) => {
  expect(formatPercentage(value)).toBe(text);
});
