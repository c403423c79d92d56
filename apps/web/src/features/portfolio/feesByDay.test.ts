import { expect, test } from "vitest";
import { sumFeesByDay } from "./feesByDay.ts";

const token = { address: `0x${"Aa".repeat(20)}` };
const release = (block_timestamp: string, amount: string, asset = `0x${"0".repeat(40)}`) => ({
  block_timestamp,
  amount,
  asset,
  token,
});

test("fees are summed by day of UTC, with the days without fees, in native alone", () => {
  const releases = [
    release("2026-11-26T23:59:59.000Z", "5"),
    release("2026-11-26T00:00:00.000Z", "7"),
    release("2026-11-26T12:00:00.000Z", "1000", token.address.toLowerCase()),
    release("2026-11-24T12:00:00.000Z", "100000000000000000000", `0x${"12".repeat(20)}`),
    release("2026-10-01T12:00:00.000Z", "9"),
  ];
  expect(sumFeesByDay(releases, 3, new Date("2026-11-26T08:00:00Z"))).toEqual([
    { day: "2026-11-24", wei: 100_000_000_000_000_000_000n },
    { day: "2026-11-25", wei: 0n },
    { day: "2026-11-26", wei: 12n },
  ]);
});
