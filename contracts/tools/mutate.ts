// Mutation testing of the contracts: makes one small change at a time and runs the tests on each mutant. Prints the score
// of each contract and every mutant that survived. Exits with 1 if the score is below 95%.
//
//   node contracts/tools/mutate.ts [--sample N] [--seed S] [--only Name,...] [--match REGEX] [--resume] [--survived] [--workers 2] [--list]
//
// `--only` selects contracts, `--match` selects mutants by a regular expression of their description, as `--list` prints it.
// The tests deploy from artifacts: they are compiled once, in .cache/mutation, and each mutant compiles only contracts.
// A mutant that survives the reduced volume of these runs runs again with the volume of `npm test`.
// Results are stored in contracts/mutationResults.json as long as contracts and tests stay the same. `--resume` runs only
// mutants that are not stored as killed there, `--survived` only those that are stored as survived; the score includes all.
// `node contracts/tools/mutationReport.ts` then writes contracts/MUTATION.md.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { buildMutantArtifacts, type CreationCodes } from "./buildMutantArtifacts.ts";
import { getEquivalenceReason } from "./equivalentMutants.ts";
import { describe, generateMutants, type Mutant } from "./generateMutants.ts";
import type { MutantResult, WorkerSetup } from "./mutateWorker.ts";
import { workingCopy } from "./mutationCompiler.ts";
import { MutationResults, resultsFile } from "./mutationResults.ts";
import { prepareWorkingCopy, runMutantTests } from "./runMutantTests.ts";

const MIN_SCORE = 0.95;
/** A run that takes longer than this multiple of the baseline run counts as an endless loop. */
const TIMEOUT_FACTOR = 20;
const MIN_TIMEOUT_MS = 300_000;

const { values: options } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    match: { type: "string", default: "" },
    resume: { type: "boolean", default: false },
    survived: { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
    list: { type: "boolean", default: false },
  },
});

prepareWorkingCopy();
const stored = new MutationResults(resultsFile, join(workingCopy, "contracts"));
const only = options.only?.split(",");
const pattern = new RegExp(options.match);
const candidates = generateMutants(workingCopy)
  .filter(({ contract }) => only?.includes(contract) ?? true)
  .filter((mutant) => pattern.test(describe(mutant)));
const equivalent = candidates.filter((mutant) => getEquivalenceReason(mutant) !== null);
const chosen = drawSample(
  candidates.filter((mutant) => !equivalent.includes(mutant)),
  options.sample === undefined ? Number.POSITIVE_INFINITY : Number(options.sample),
  Number(options.seed),
);
const pending = chosen.filter(isPending);
console.log(
  `${candidates.length} mutants, ${equivalent.length} of them proven equivalent; ${chosen.length} chosen, ` +
    `${chosen.filter((mutant) => stored.get(mutant) !== undefined).length} of them have a stored result; ` +
    `${pending.length} to run`,
);
if (options.list) {
  for (const mutant of pending) console.log(describe(mutant));
} else {
  if (pending.length > 0) await testMutants(pending);
  const results = chosen
    .toSorted((a, b) => a.index - b.index)
    .map((mutant) => stored.get(mutant))
    .filter((result) => result !== undefined);
  process.exitCode = report(results) >= MIN_SCORE ? 0 : 1;
}

/** A mutant that survived runs again, because the tests may have changed since. */
function isPending(mutant: Mutant): boolean {
  const verdict = stored.get(mutant)?.verdict;
  if (options.survived) return verdict === "survived";
  return !options.resume || verdict === undefined || verdict === "survived";
}

async function testMutants(mutants: readonly Mutant[]): Promise<void> {
  const unchanged = buildMutantArtifacts(new Map());
  const startedAt = performance.now();
  const forgeOptions = getBaselineOptions(unchanged);
  const timeoutMs = Math.ceil(Math.max(MIN_TIMEOUT_MS, TIMEOUT_FACTOR * (performance.now() - startedAt)));
  const queue = [...mutants];
  let count = 0;
  const workers = Array.from({ length: Number(options.workers) }, (_, index) =>
    runWorker({ workerName: `worker${index}`, unchanged, forgeOptions, timeoutMs }, queue, (result) => {
      stored.add(result);
      count += 1;
      const mark = result.verdict === "survived" ? "SURVIVED" : result.verdict;
      console.log(`${count}/${mutants.length} ${mark} ${describe(result.mutant)} ${result.killedBy}`);
    }),
  );
  await Promise.all(workers);
}

/** Excludes tests that fail on the unchanged contracts, and prints their names. */
function getBaselineOptions(unchanged: CreationCodes): string[] {
  const { verdict, failures, output } = runMutantTests(unchanged, "unchanged", []);
  const passed = [...output.matchAll(/Suite result: \w+\. (\d+) passed/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  console.log(`unchanged contracts: ${passed} tests pass, ${failures.length} fail`);
  if (verdict === "passed") return [];
  if (failures.includes("setUp")) throw new Error(`the tests do not run on the unchanged contracts:\n${output}`);
  console.log(`excluded: ${failures.join(", ")}`);
  return ["--no-match-test", `^(${failures.join("|")})\\b`];
}

function runWorker(setup: WorkerSetup, queue: Mutant[], onResult: (result: MutantResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./mutateWorker.ts", import.meta.url), { workerData: setup });
    const next = () => {
      const mutant = queue.shift();
      if (mutant !== undefined) worker.postMessage(mutant);
      else worker.terminate().then(() => resolve(), reject);
    };
    worker.on("message", (result: MutantResult) => {
      onResult(result);
      next();
    });
    worker.on("error", reject);
    next();
  });
}

/** @returns the share of killed mutants among those with changed code. */
function report(results: readonly MutantResult[]): number {
  const calculateScore = (of: readonly MutantResult[]) => {
    const count = (...verdicts: string[]) => of.filter(({ verdict }) => verdicts.includes(verdict)).length;
    const [killed, survived] = [count("killed", "timeout"), count("survived")];
    const ratio = killed + survived === 0 ? 1 : killed / (killed + survived);
    const counts = `${killed} of ${killed + survived} killed (${(ratio * 100).toFixed(1)}%)`;
    return { ratio, summary: `${counts}, ${count("equivalent")} same code, ${count("invalid")} do not compile` };
  };
  console.log();
  for (const contract of new Set(results.map(({ mutant }) => mutant.contract))) {
    console.log(`${contract}: ${calculateScore(results.filter(({ mutant }) => mutant.contract === contract)).summary}`);
  }
  const survived = results.filter(({ verdict }) => verdict === "survived");
  if (survived.length > 0) console.log(`\nSurvived:\n${survived.map(({ mutant }) => describe(mutant)).join("\n")}`);
  const total = calculateScore(results);
  console.log(`\nMutation score: ${total.summary}; minimum ${MIN_SCORE * 100}%`);
  return total.ratio;
}

/** Draws `size` of `mutants` by `seed`, in random order, so that an interrupted run is also a sample. */
function drawSample(mutants: readonly Mutant[], size: number, seed: number): Mutant[] {
  let state = seed >>> 0;
  const random = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return mutants
    .map((mutant) => ({ mutant, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, size)
    .map(({ mutant }) => mutant);
}
