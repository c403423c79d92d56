import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./sourceFiles.ts";
import { parseForgeTests } from "./test.ts";

const run = (...names: string[]) =>
  spawnSync(process.execPath, ["tools/test.ts", ...names], { cwd: repositoryRoot, encoding: "utf8" });

describe("npm test", () => {
  it("counts forge's tests by their lines", () => {
    const output = `[PASS] test_C8_07_Idempotent() (gas: 12)
Suite result: ok. 1 passed; 0 failed; 0 skipped;
[FAIL: differs; counterexample: calldata=0x args=[1, 2]] testFuzz_C8_05_Conserve(uint256) (runs: 3)
Suite result: FAILED. 0 passed; 1 failed; 0 skipped;`;
    expect(parseForgeTests(output)).toEqual([
      { name: "test_C8_07_Idempotent", passed: true },
      { name: "testFuzz_C8_05_Conserve", passed: false },
    ]);
    expect(parseForgeTests("no tests")).toEqual([]);
  });

  it("ends with the line of totals and exit code 0 when everything that is named passes", () => {
    const { status, stdout } = run("trees", "vendor");
    expect(stdout).toMatch(/\n2 passed, 0 failed\n$/);
    expect(status).toBe(0);
  });

  it("refuses a name that it does not know, and lists the names", () => {
    const { status, stdout } = run("treees");
    expect(status).toBe(64);
    expect(stdout).toContain("conformance, fuzz, unit, integration, simulation, resilience, security, browser");
  });
});
