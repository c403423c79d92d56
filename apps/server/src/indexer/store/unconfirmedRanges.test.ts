import { expect, test } from "vitest";
import { addUnconfirmedRange, type UnconfirmedRange } from "./unconfirmedRanges.ts";

const events = "0123456789abcdef";
const host = "one.example";

test("consecutive short ranges with few logs and no launches are one row", () => {
  const ranges: UnconfirmedRange[] = [];
  for (let from = 1; from < 1_000; from += 10)
    addUnconfirmedRange(ranges, { from, to: from + 9, logs: 7, host, events }, false);
  expect(ranges).toEqual([{ from: 1, to: 1_000, logs: 700, host, events }]);
  addUnconfirmedRange(ranges, { from: 1_001, to: 1_010, logs: 2_000, host, events }, false);
  addUnconfirmedRange(ranges, { from: 1_011, to: 1_020, logs: 1, host: "two.example", events }, false);
  addUnconfirmedRange(ranges, { from: 1_041, to: 1_050, logs: 1, host: "two.example", events }, false);
  addUnconfirmedRange(ranges, { from: 1_051, to: 200_000, logs: 1, host: "two.example", events }, false);
  addUnconfirmedRange(ranges, { from: 200_001, to: 200_010, logs: 1, host: "two.example", events }, true);
  addUnconfirmedRange(ranges, { from: 200_011, to: 200_020, logs: 1, host: "two.example", events }, false);
  expect(ranges.slice(1)).toEqual([
    { from: 1_001, to: 1_010, logs: 2_000, host, events },
    { from: 1_011, to: 1_020, logs: 1, host: "two.example", events },
    { from: 1_041, to: 1_050, logs: 1, host: "two.example", events },
    { from: 1_051, to: 200_000, logs: 1, host: "two.example", events },
    { from: 200_001, to: 200_020, logs: 2, host: "two.example", events },
  ]);
});
