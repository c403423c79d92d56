// A worker thread of the mutation run: builds and tests the mutants that it receives, one after the other.
import { parentPort, workerData } from "node:worker_threads";
import { buildMutantArtifacts, type CreationCodes } from "./buildMutantArtifacts.ts";
import { createMutatedSource, type Mutant } from "./generateMutants.ts";
import { CompilationError } from "./mutationCompiler.ts";
import { runMutantTests } from "./runMutantTests.ts";

/** `equivalent`: compiles to the same code. `invalid`: does not compile. */
export type Verdict = "killed" | "survived" | "timeout" | "equivalent" | "invalid";
export type WorkerSetup = { workerName: string; unchanged: CreationCodes; forgeOptions: string[]; timeoutMs: number };
export type MutantResult = { mutant: Mutant; verdict: Verdict; killedBy: string };

const { workerName, unchanged, forgeOptions, timeoutMs } = workerData as WorkerSetup;

/** The test folders of libraries. The tests of a mutant's contract run first, the other tests only if those pass. */
const testFolders: Record<string, string> = {
  EcdsaSignature: "GasStation",
  FeePolicy: "FeeLocker",
  LaunchTerms: "Opening",
  PoolAddress: "FeeLocker",
  SplitterClone: "SplitterFactory",
  StartPrice: "LaunchFactory",
  TokenTransfer: "FeeSplitter",
};

/**
 * Libraries whose first tests use no factory, or compare with contracts deployed by others: a first run with the
 * unchanged factory has the same result.
 */
const testedWithoutFactory = new Set(["EcdsaSignature", "PoolAddress", "SplitterClone"]);

/**
 * Selects all tests that deploy the mutant's contract: only the tests of station, vestings and openings use these; three
 * libraries affect all.
 */
function listAllTests(contract: string): string[] {
  if (contract === "GasStation")
    return ["--match-contract", "^(GasStation|Station|OwnerPowers|ExposedFunctions|Smoke)"];
  if (contract.startsWith("Vesting"))
    return ["--match-contract", "^(Vesting|OwnerPowers|ExposedFunctions|Bytecode|Smoke)"];
  if (contract.startsWith("Opening") || contract === "LaunchTerms")
    return ["--match-contract", "^(Opening|OwnerPowers|ExposedFunctions|Bytecode|Smoke)"];
  return contract === "EcdsaSignature" ? [] : ["--no-match-contract", "^(GasStation|Station)"];
}

/** The volume of `npm test`: a mutant survives only if it survives this too. The first runs are reduced, to save time. */
const fullDepth = { FOUNDRY_FUZZ_RUNS: "1000", FOUNDRY_INVARIANT_RUNS: "256", FOUNDRY_INVARIANT_DEPTH: "64" };

parentPort?.on("message", (mutant: Mutant) => {
  parentPort?.postMessage(testMutant(mutant));
});

function testMutant(mutant: Mutant): MutantResult {
  const source = new Map([[mutant.path, createMutatedSource(mutant)]]);
  const folder = testFolders[mutant.contract] ?? mutant.contract;
  const firstTests = ["--match-path", `contracts/test/${folder}/*`];
  try {
    if (testedWithoutFactory.has(mutant.contract)) {
      const result = runStage(mutant, buildMutantArtifacts(source, unchanged, "all but the factory"), firstTests);
      if (result !== null) return result;
    }
    const codes = buildMutantArtifacts(source, unchanged);
    if (Object.entries(codes).every(([name, code]) => unchanged[name] === code)) {
      return { mutant, verdict: "equivalent", killedBy: "" };
    }
    const allTests = listAllTests(mutant.contract);
    for (const [stage, environment] of [[firstTests], [allTests], [allTests, fullDepth]] as const) {
      const result = runStage(mutant, codes, stage, environment);
      if (result !== null) return result;
    }
  } catch (error) {
    if (error instanceof CompilationError) return { mutant, verdict: "invalid", killedBy: "" };
    throw error;
  }
  return { mutant, verdict: "survived", killedBy: "" };
}

/** @returns null if all tests pass. */
function runStage(
  mutant: Mutant,
  codes: CreationCodes,
  stage: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): MutantResult | null {
  const options = ["--fail-fast", ...forgeOptions, ...stage];
  const run = runMutantTests(codes, workerName, options, timeoutMs, environment);
  if (run.verdict === "passed") return null;
  return { mutant, verdict: run.verdict === "failed" ? "killed" : "timeout", killedBy: run.failures[0] ?? "" };
}
