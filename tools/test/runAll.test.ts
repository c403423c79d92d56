import { describe, expect, it, vi } from "vitest";
import { runAll } from "../testing/runAll.ts";
import { runSteadily, runSuite } from "../testing/runSuite.ts";
import type { Counts, Suite } from "../testing/suite.ts";
import { suites } from "../testing/suites.ts";
import { closingLine, summaryTable } from "../testing/summary.ts";

const suite = (code: string, counts: Counts | null, name = "one"): Suite => ({
  name,
  title: name,
  command: ["node", "-e", code],
  count: () => counts,
});

describe("runSuite", () => {
  it.each<[string, string, Counts | null, number, string | null]>([
    ["passes with tests and a clean end", "", { passed: 3, failed: 0 }, 0, null],
    ["fails when a test failed", "process.exit(1)", { passed: 3, failed: 2 }, 2, "2 failed"],
    ["fails when a test failed though the command ends well", "", { passed: 3, failed: 2 }, 2, "2 failed"],
    [
      "fails when the command does not end well",
      "process.exit(3)",
      { passed: 3, failed: 0 },
      1,
      "ended with exit code 3",
    ],
    ["fails when no test ran", "", { passed: 0, failed: 0 }, 1, "ran no test"],
    ["fails when nothing can be counted", "", null, 1, "nothing was counted (exit code 0)"],
  ])("%s", async (_, code, counts, failed, problem) => {
    const result = await runSuite(suite(code, counts));
    expect([result.failed, result.problem]).toEqual([failed, problem]);
  });

  it("fails when the command does not exist", async () => {
    const result = await runSuite({ ...suite("", null), command: ["no-such-program"] });
    expect(result.problem).toMatch(/nothing was counted/);
  });
});

describe("runSteadily", () => {
  const failing = { passed: 3, failed: 2, failedFiles: ["a.test.ts"] };
  const again = (counts: Counts) => ({ ...suite("process.exit(1)", failing), alone: () => suite("", counts) });

  it("names files as unsteady that fail beside the others and pass alone", async () => {
    const result = await runSteadily(again({ passed: 2, failed: 0 }));
    expect(result).toMatchObject({ passed: 5, failed: 0, problem: null, unsteady: ["a.test.ts"] });
    expect(summaryTable([result])).toContain("UNSTEADY");
  });

  it("fails what fails twice", async () => {
    const result = await runSteadily(again({ passed: 1, failed: 1, failedFiles: ["a.test.ts"] }));
    expect(result).toMatchObject({ failed: 2, problem: "2 failed" });
  });

  it("fails what says nothing of its files, and suites that cannot run some files alone", async () => {
    const silent = { ...again({ passed: 1, failed: 0 }), count: () => ({ passed: 1, failed: 1, failedFiles: [] }) };
    expect((await runSteadily(silent)).problem).toBe("1 failed");
    expect((await runSteadily(suite("process.exit(1)", failing))).problem).toBe("2 failed");
  });
});

describe("runAll", () => {
  it("runs all suites, also after one that failed, and ends with one line of totals", async () => {
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      const code = await runAll([
        suite("process.exit(1)", { passed: 1, failed: 1 }, "a"),
        suite("", { passed: 4, failed: 0 }, "b"),
      ]);
      expect(code).toBe(1);
      const lines = written.mock.calls
        .map(([text]) => String(text))
        .join("")
        .trimEnd()
        .split("\n");
      expect(lines.at(-1)).toBe("5 passed, 1 failed");
    } finally {
      written.mockRestore();
    }
  });

  it("sums a suite that counted nothing as one failure", () => {
    const result = { name: "a", title: "a", seconds: 1, passed: 2, failed: 1, problem: "ran no test" };
    expect(closingLine([result, { ...result, problem: null, failed: 0 }])).toBe("4 passed, 1 failed");
  });
});

describe("the suites", () => {
  it("have names of their own", () => {
    expect(new Set(suites.map(({ name }) => name)).size).toBe(suites.length);
  });

  it("count forge's tests from its summary lines", () => {
    const contracts = suites.find(({ name }) => name === "contracts")!;
    const output = `[PASS] test_C8_07_Idempotent() (gas: 12)
Suite result: ok. 12 passed; 0 failed; 0 skipped;
[FAIL: differs; counterexample: calldata=0x args=[1, 2]] testFuzz_C8_05_Conserve(uint256) (runs: 3)
Suite result: FAILED. 3 passed; 2 failed; 1 skipped;`;
    expect(contracts.count({ output, exitCode: 1 })).toEqual({
      passed: 15,
      failed: 2,
      tests: [
        { name: "test_C8_07_Idempotent", passed: true },
        { name: "testFuzz_C8_05_Conserve", passed: false },
      ],
    });
    expect(contracts.count({ output: "no tests", exitCode: 0 })).toBeNull();
  });
});
