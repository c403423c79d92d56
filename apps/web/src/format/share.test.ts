import { expect, test } from "vitest";
import { formatFraction } from "./share.ts";

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
