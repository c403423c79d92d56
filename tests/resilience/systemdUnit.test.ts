import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestFolder } from "../support/createTestFolder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** Writes an instance of the shipped unit whose release is this checkout. @returns its path. */
function installUnit(): string {
  const shipped = readFileSync(join(root, "deploy/systemd/slipway@.service"), "utf8");
  const path = join(createTestFolder(), "slipway@api.service");
  writeFileSync(path, shipped.replaceAll("/opt/slipway", root));
  return path;
}

test.runIf(hasSystemd)("systemd accepts the unit without a warning", () => {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", installUnit()], { encoding: "utf8" });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});

test.runIf(hasSystemd)("the unit restricts the process: an exposure level of at most 2.0 of 10", () => {
  const output = execFileSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", installUnit()], {
    encoding: "utf8",
  });
  expect(output).toMatch(/Overall exposure level for slipway@api\.service: [01]\.\d/);
});

test("the unit starts the program that exists, and does not restart a wrong configuration", () => {
  const unit = readFileSync(join(root, "deploy/systemd/slipway@.service"), "utf8");
  const [, program] = /^ExecStart=\/opt\/slipway\/node_modules\/\.bin\/node (.*)$/m.exec(unit)!;
  expect(readFileSync(join(root, program!), "utf8")).toContain("configExitCode");
  expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
});
