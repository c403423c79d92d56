// Runs the contract checks of `npm test`: artifacts, trees and vectors are current, and every forge test passes.
// Arguments are passed to `forge test`. gasTable.ts checks the gas figures, which need the optimised build.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getForgePath } from "./getForgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const tool = (name: string) => join(root, "contracts", "tools", name);
const forge = getForgePath();

const steps: [name: string, command: string, args: string[]][] = [
  ["artifacts", process.execPath, [tool("generate.ts"), "--check"]],
  ["trees", process.execPath, [tool("checkTrees.ts")]],
  ["mutants", process.execPath, [tool("mutationReport.ts"), "--check"]],
  ["vectors", process.execPath, [tool("vectors.ts"), "--check"]],
  ["tests", forge, ["test", "--no-match-path", "contracts/test/gas/*", ...process.argv.slice(2)]],
];

for (const [name, command, args] of steps) {
  const startedAt = performance.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${name}: ${status === 0 ? "ok" : "FAILED"} in ${seconds} s`);
  if (status !== 0) {
    process.exitCode = 1;
    break;
  }
}
