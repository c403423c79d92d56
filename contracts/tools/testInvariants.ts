// Runs the invariant campaigns on the changes of invariantMutants.ts and requires that each change violates only its
// invariant. If no change violates only one invariant, this invariant is implied by the others or cannot fail.
// checkTrees.ts compares the ids.
//
//   node contracts/tools/testInvariants.ts [--only I05,I23]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildMutantArtifacts } from "./buildMutantArtifacts.ts";
import { type InvariantMutant, invariantMutants } from "./invariantMutants.ts";
import { workingCopy } from "./mutationCompiler.ts";
import { prepareWorkingCopy, runMutantTests } from "./runMutantTests.ts";

const { values: options } = parseArgs({ options: { only: { type: "string" } } });

/** Checks after each call, so that only the first violation is reported. No shrinking: the ids are enough. */
const environment = {
  FOUNDRY_INVARIANT_RUNS: "24",
  FOUNDRY_INVARIANT_DEPTH: "64",
  FOUNDRY_INVARIANT_CHECK_INTERVAL: "1",
  FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: "0",
};

prepareWorkingCopy();
const problems: string[] = [];
const unchanged = buildMutantArtifacts(new Map());
for (const [id, mutant] of Object.entries(invariantMutants)) {
  if (options.only !== undefined && !options.only.split(",").includes(id)) continue;
  const found = run(id, mutant);
  const isAlone = found.length === 1 && found[0] === id;
  console.log(`${id} ${mutant.campaign}: ${isAlone ? "ok" : `violated ${found.join(", ") || "nothing"}`}`);
  if (!isAlone) problems.push(`${id}: its change violates ${found.join(", ") || "nothing"}`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @returns the ids that the campaign reports. */
function run(id: string, { campaign, file, changes }: InvariantMutant): string[] {
  let source = readFileSync(join(workingCopy, file), "utf8");
  for (const [find, replacement] of changes) {
    if (source.split(find).length !== 2) throw new Error(`${id}: ${file} does not contain this text once: ${find}`);
    source = source.replace(find, () => replacement);
  }
  const codes = buildMutantArtifacts(new Map([[file, source]]), unchanged);
  const test = runMutantTests(codes, "invariants", ["--match-contract", `^${campaign}$`], undefined, environment);
  if (test.verdict === "passed") return [];
  const names = [...test.output.matchAll(/violated; ([^\n]*)/g)].map(([, text = ""]) => text);
  if (names.length === 0) return [test.output.match(/\[FAIL[^\n]*/)?.[0] ?? "a call that must succeed"];
  return [...new Set(names.flatMap((text) => [...text.matchAll(/\b(I\d\d) /g)].map(([, found = ""]) => found)))];
}
