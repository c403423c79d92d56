import { expect, it } from "vitest";
import { formatTime } from "./time.ts";

const now = new Date(2026, 5, 15, 12, 0, 0);
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

it.each([
  [-86_400 * 2, "Jun 17"],
  [-3_600 * 5, "in 5h"],
  [-5, "now"],
  [12, "12s ago"],
  [59, "59s ago"],
  [60, "1m ago"],
  [3_600, "1h ago"],
  [3_599, "59m ago"],
  [86_399, "23h ago"],
  [86_400, "Jun 14"],
  [86_400 * 400, "May 11, 2025"],
])("shows a time %d seconds ago as %s", (seconds, text) => {
  expect(formatTime(before(seconds), now)).toBe(text);
});
