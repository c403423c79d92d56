// Measures the tests by what they let through: changes the contracts in one small way at a time and runs the tests on
// each. Prints the share of mutants killed for each contract and every survivor; exits with 1 under 90%.
//
//   node contracts/tools/mutate.ts [--sample N] [--seed S] [--contract Name] [--survivors] [--lanes 2] [--list]
//
// The tests deploy from artifacts, so they are compiled once, in .cache/mutation, and only the contracts are compiled
// for each mutant. Its results go to .cache/mutation/results.json; `--survivors` runs only what survived there.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { buildArtifacts, type CreationCodes } from "./mutateArtifacts.ts";
import { repositoryRoot } from "./mutateCompiler.ts";
import { reasonOfEquivalence } from "./mutateEquivalents.ts";
import { describe, generateMutants, type Mutant } from "./mutateGenerate.ts";
import { prepareTree, runTests } from "./mutateRunner.ts";
import type { Judged, LaneSetup } from "./mutateWorker.ts";

const NEEDED_SCORE = 0.9;

const { values: given } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    contract: { type: "string" },
    survivors: { type: "boolean", default: false },
    lanes: { type: "string", default: "2" },
    list: { type: "boolean", default: false },
  },
});

const resultsFile = join(repositoryRoot, ".cache", "mutation", "results.json");

prepareTree();
const isWanted = given.survivors ? isKnownSurvivor() : () => true;
const candidates = generateMutants().filter(
  (mutant) => (given.contract ?? mutant.contract) === mutant.contract && isWanted(mutant),
);
const proven = candidates.filter((mutant) => reasonOfEquivalence(mutant) !== null);
const chosen = sampleOf(
  candidates.filter((mutant) => !proven.includes(mutant)),
  given.sample === undefined ? Number.POSITIVE_INFINITY : Number(given.sample),
  Number(given.seed),
);
console.log(`${candidates.length} mutants, ${proven.length} of them equivalent by proof; ${chosen.length} to run`);
if (given.list) {
  for (const mutant of chosen) console.log(describe(mutant));
} else {
  const judged = await judgeAll(chosen);
  process.exitCode = report(judged) >= NEEDED_SCORE ? 0 : 1;
}

async function judgeAll(mutants: readonly Mutant[]): Promise<Judged[]> {
  const unchanged = buildArtifacts(new Map());
  const options = baselineOptions(unchanged);
  const queue = [...mutants];
  const judged: Judged[] = [];
  const lanes = Array.from({ length: Number(given.lanes) }, (_, index) =>
    runLane({ lane: `lane${index}`, unchanged, options }, queue, (result) => {
      judged.push(result);
      writeFileSync(resultsFile, `${JSON.stringify(judged, null, 2)}\n`);
      const mark = result.verdict === "survived" ? "SURVIVED" : result.verdict;
      console.log(`${judged.length}/${mutants.length} ${mark} ${describe(result.mutant)} ${result.killedBy}`);
    }),
  );
  await Promise.all(lanes);
  return judged.sort((a, b) => a.mutant.index - b.mutant.index);
}

/** By the mutant's description, because lines and numbers move when the sources change elsewhere. */
function isKnownSurvivor(): (mutant: Mutant) => boolean {
  if (!existsSync(resultsFile)) throw new Error("no run left its results: run without --survivors first");
  const results = JSON.parse(readFileSync(resultsFile, "utf8")) as Judged[];
  const survivors = results.filter(({ verdict }) => verdict === "survived").map(({ mutant }) => describe(mutant));
  return (mutant) => survivors.includes(describe(mutant));
}

/** Tests that fail on the unchanged contracts can judge nothing: they are named and left out. */
function baselineOptions(unchanged: CreationCodes): string[] {
  const { verdict, failures, output } = runTests(unchanged, "unchanged", []);
  const passed = [...output.matchAll(/Suite result: \w+\. (\d+) passed/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  console.log(`unchanged contracts: ${passed} tests pass, ${failures.length} fail`);
  if (verdict === "passed") return [];
  if (failures.includes("setUp")) throw new Error(`the tests do not run on the unchanged contracts:\n${output}`);
  console.log(`left out: ${failures.join(", ")}`);
  return ["--no-match-test", `^(${failures.join("|")})\\b`];
}

function runLane(setup: LaneSetup, queue: Mutant[], onJudged: (judged: Judged) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./mutateWorker.ts", import.meta.url), { workerData: setup });
    const next = () => {
      const mutant = queue.shift();
      if (mutant !== undefined) worker.postMessage(mutant);
      else worker.terminate().then(() => resolve(), reject);
    };
    worker.on("message", (result: Judged) => {
      onJudged(result);
      next();
    });
    worker.on("error", reject);
    next();
  });
}

/** @returns The share of the mutants that compiled to other code and were found out. */
function report(judged: readonly Judged[]): number {
  const scoreOf = (of: readonly Judged[]) => {
    const count = (...verdicts: string[]) => of.filter(({ verdict }) => verdicts.includes(verdict)).length;
    const [killed, survived] = [count("killed", "timeout"), count("survived")];
    const ratio = killed + survived === 0 ? 1 : killed / (killed + survived);
    const words = `${killed} of ${killed + survived} killed (${(ratio * 100).toFixed(1)}%)`;
    return { ratio, words: `${words}, ${count("equivalent")} same code, ${count("stillborn")} do not compile` };
  };
  console.log();
  for (const contract of new Set(judged.map(({ mutant }) => mutant.contract))) {
    console.log(`${contract}: ${scoreOf(judged.filter(({ mutant }) => mutant.contract === contract)).words}`);
  }
  const survivors = judged.filter(({ verdict }) => verdict === "survived");
  if (survivors.length > 0) console.log(`\nSurvivors:\n${survivors.map(({ mutant }) => describe(mutant)).join("\n")}`);
  const total = scoreOf(judged);
  console.log(`\nMutation score: ${total.words}; at least ${NEEDED_SCORE * 100}% wanted`);
  return total.ratio;
}

/** `size` of `mutants` drawn by `seed`, in the order of the source. */
function sampleOf(mutants: readonly Mutant[], size: number, seed: number): Mutant[] {
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
    .map(({ mutant }) => mutant)
    .sort((a, b) => a.index - b.index);
}
