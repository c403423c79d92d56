import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { repositoryRoot } from "./sourceFiles.ts";
import { parseForgeTests } from "./test.ts";
import { mergeSummaries, printSummary } from "./testSummary.ts";

const run = (...names: string[]) =>
  spawnSync(process.execPath, ["tools/test.ts", ...names], { cwd: repositoryRoot, encoding: "utf8" });

describe("npm test", () => {
  it("counts forge's tests from its output lines", () => {
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

  it("ends with the line of totals and exit code 0 when all named checks pass", () => {
    const { status, stdout } = run("trees", "vendor");
    expect(stdout).toMatch(/\n2 passed, 0 failed\n$/);
    expect(status).toBe(0);
  });

  it("runs the test files of a path in the projects that they belong to", () => {
    const { status, stdout } = run("packages/protocol/src/price.test.ts");
    expect(stdout).toMatch(/pure +\d+ passed +0 failed/);
    expect(status).toBe(0);
  });

  it("adds up the summaries of several machines, and fails for a flaky test when CI_STRICT is set", () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-summaries-"));
    const env = { ...process.env, TEST_SUMMARY: folder };
    for (const name of ["trees", "vendor"]) {
      spawnSync(process.execPath, ["tools/test.ts", name], { cwd: repositoryRoot, env });
    }
    const merged = mergeSummaries(folder);
    expect(merged.results.map(({ name, passed }) => [name, passed])).toEqual([
      ["trees", 1],
      ["vendor", 1],
    ]);
    const flaky = { ...merged, flaky: [{ name: "a.test.ts: waits", errors: ["expected 1 to be 2"] }] };
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    vi.stubEnv("CI_STRICT", "");
    expect(printSummary(flaky, false)).toBe(0);
    vi.stubEnv("CI_STRICT", "1");
    expect(printSummary(flaky, false)).toBe(1);
    expect(write).toHaveBeenCalledWith("2 passed, 1 failed\n");
    const failure = "flaky, passed at the second attempt: a.test.ts: waits\n    expected 1 to be 2\n";
    expect(write).toHaveBeenCalledWith(failure);
    vi.unstubAllEnvs();
    write.mockRestore();
    rmSync(folder, { recursive: true });
  });

  it("rejects an unknown name, and lists the names", () => {
    const { status, stdout } = run("treees");
    expect(status).toBe(64);
    expect(stdout).toContain("resilience, browser, pure, security, conformance, fuzz, unit, integration, simulation");
  });
});
