import { describe, expect, it } from "vitest";
import { findThreatProblems, parseThreats, toThreatTable } from "./checkThreats.ts";

const document = `
| id | required behaviour | tests |
|---|---|---|
| C2-01 | A head is followed. | \`a.test.ts\`, \`b.test.ts\` |
| C8-04 | The position stays. | \`Locker.t.sol\` |
| C9-02 | A series is checked. | there is no \`/ws/risk\` yet |
`;
const files = [
  { path: "apps/server/src/a.test.ts", text: `test("C2-01 follows", () => {});\n// not C9-02\n` },
  { path: "tests/security/b.test.ts", text: `it("C2-01 follows too", () => {});\n` },
  { path: "contracts/test/Locker.t.sol", text: "function test_C8_04_NoCallerMovesThePosition() public {}\n" },
];

describe("the gate of attack ids", () => {
  it("accepts ids whose tests or reason the document lists", () => {
    expect(findThreatProblems(document, files)).toEqual([]);
  });

  it("reports an id without its test, with another test, with a reason and a test, and an unknown id", () => {
    const more = { path: "tests/c.test.ts", text: `test("C8-04 C9-02 C7-99 too", () => {});\n` };
    expect(findThreatProblems(document, [...files.slice(1), more])).toEqual([
      "C7-99 is not in docs/threats.md",
      "C2-01 is listed with a.test.ts, b.test.ts; its tests are `b.test.ts`",
      "C8-04 is listed with Locker.t.sol; its tests are `Locker.t.sol`, `c.test.ts`",
      "C9-02 has a reason and tests: c.test.ts",
    ]);
    expect(findThreatProblems(document.replace("there is no `/ws/risk` yet", ""), files)).toEqual([
      "C9-02 has neither a test nor a reason",
    ]);
  });
});

describe("the table of attack ids", () => {
  it("counts the tests of each id, also of several in one name and of forge, and reports an id without a test", () => {
    const tests = [
      { name: "a.test.ts: C2-01 C8-04 follows", passed: true },
      { name: "b.test.ts: C2-01 follows too", passed: false },
      { name: "test_C8_04_NoCallerMovesThePosition", passed: true },
    ];
    const { table, problems } = toThreatTable(parseThreats(document), tests);
    expect(table).toBe("C2-01  FAILED 1 of 2\nC8-04  passed 2\nC9-02  there is no `/ws/risk` yet");
    expect(problems).toEqual([]);
    expect(toThreatTable(parseThreats(document), tests.slice(2)).problems).toEqual(["C2-01 has no test in this run"]);
  });
});
