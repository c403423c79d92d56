import type { RawLog } from "@slipway/protocol/rawLog";
import { expect, test } from "vitest";
import { digestLogs, readDigest } from "../fetch/digestLogs.ts";
import { addUnconfirmedRange, type PendingRange } from "./unconfirmedRanges.ts";

const events = "0123456789abcdef";
const host = "one.example";
const log = { address: "0x1", topics: [], data: "0x" } as unknown as RawLog;

/** Adds a range with this number of equal logs. */
function add(ranges: PendingRange[], from: number, to: number, logs: number, by = host, hasLaunches = false): void {
  const own = new Array<RawLog>(logs).fill(log);
  addUnconfirmedRange(ranges, { from, to, host: by, events, recent: false }, own, hasLaunches);
}

const toRows = (ranges: PendingRange[]) =>
  ranges.map(({ from, to, logs, host: by, digest }) => {
    expect(readDigest(digest)).toBe(digestLogs(new Array<RawLog>(logs).fill(log)));
    return { from, to, logs, host: by };
  });

test("consecutive short ranges with few logs and no launches are one row", () => {
  const ranges: PendingRange[] = [];
  for (let from = 1; from < 1_000; from += 10) add(ranges, from, from + 9, 7);
  expect(toRows(ranges)).toEqual([{ from: 1, to: 1_000, logs: 700, host }]);
  add(ranges, 1_001, 1_010, 2_000);
  const two = "two.example";
  add(ranges, 1_011, 1_020, 1, two);
  add(ranges, 1_041, 1_050, 1, two);
  add(ranges, 1_051, 200_000, 1, two);
  add(ranges, 200_001, 200_010, 1, two, true);
  add(ranges, 200_011, 200_020, 1, two);
  expect(toRows(ranges).slice(1)).toEqual([
    { from: 1_001, to: 1_010, logs: 2_000, host },
    { from: 1_011, to: 1_020, logs: 1, host: two },
    { from: 1_041, to: 1_050, logs: 1, host: two },
    { from: 1_051, to: 200_000, logs: 1, host: two },
    { from: 200_001, to: 200_020, logs: 2, host: two },
  ]);
});
