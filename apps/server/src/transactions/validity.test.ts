import { describe, expect, test } from "vitest";
import { getDeadline, getExpiry, getIssueTime, limitHeadTime } from "./validity.ts";

const now = 1_800_000_000n;
const at = (seconds: bigint) => ({ timestamp: now + seconds });

describe("C7-77", () => {
  test("C7-77 deadlines count from the later one of the service's time and the head's time", () => {
    expect(getExpiry(now)).toBe(1_800_000_060);
    expect(getDeadline(now, at(0n))).toBe(now + 60n);
    expect(getDeadline(now, at(-3_600n))).toBe(now + 60n);
    expect(getDeadline(now, at(300n))).toBe(now + 360n);
  });

  test("C7-77 a block from the future lengthens a deadline by six minutes at most", () => {
    const tenYears = 315_360_000n;
    expect(limitHeadTime(now, at(tenYears))).toBe(now + 360n);
    expect(getIssueTime(now, at(tenYears))).toBe(now + 360n);
    expect(getDeadline(now, at(tenYears))).toBe(now + 420n);
    expect(limitHeadTime(now, at(-3_600n))).toBe(now - 3_600n);
  });
});
