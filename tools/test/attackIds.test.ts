import { describe, expect, it } from "vitest";
import { attackTable, idsOf, untested } from "../testing/attackIds.ts";

const passed = (name: string) => ({ name, passed: true });
const everyId = Object.entries({ C2: 20, C3: 7, C4: 14, C5: 10, C6: 6, C7: 17, C8: 16, C9: 3 }).flatMap(
  ([chapter, count]) => Array.from({ length: count }, (_, index) => `${chapter}-${String(index + 1).padStart(2, "0")}`),
);
const tested = everyId.filter((id) => !(id in untested));

describe("the table of attacks", () => {
  it("finds ids in sentences and in forge's names, several in one, and counts what failed", () => {
    const outcomes = idsOf([
      passed("C2-01 C2-16 follows a reorganisation"),
      passed("test_C8_04_NoCallerReducesOrMovesThePosition"),
      { name: "C2-01 notices a head", passed: false },
    ]);
    expect([...outcomes]).toEqual([
      ["C2-01", { passed: 1, failed: 1 }],
      ["C2-16", { passed: 1, failed: 0 }],
      ["C8-04", { passed: 1, failed: 0 }],
    ]);
    expect(attackTable(outcomes).table).toMatch(/C2-01 {2}FAILED 1 of 2\n/);
  });

  it("is whole when every id has a test or a reason", () => {
    expect(attackTable(idsOf(tested.map(passed))).problems).toEqual([]);
  });

  it("reports an id with neither, one with both, and one that is not on the list", () => {
    const [reasoned] = Object.keys(untested);
    const names = [...tested.slice(1), reasoned!, "C7-99"];
    expect(attackTable(idsOf(names.map(passed))).problems).toEqual([
      `${tested[0]} has neither a test nor a reason`,
      `${reasoned} has a test and a reason for having none`,
      "C7-99 is no id of the list",
    ]);
  });
});
