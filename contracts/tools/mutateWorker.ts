// A worker thread of the mutation run: builds and tests the mutants that it receives, one after the other.
import { parentPort, workerData } from "node:worker_threads";
import { buildMutantArtifacts, type CreationCodes } from "./buildMutantArtifacts.ts";
import { type Mutant, createMutatedSource } from "./generateMutants.ts";
import { runMutantTests } from "./runMutantTests.ts";

/** `equivalent`: compiles to the same code. `invalid`: does not compile. */
export type Verdict = "killed" | "survived" | "timeout" | "equivalent" | "invalid";
export type WorkerSetup = { workerName: string; unchanged: CreationCodes; forgeOptions: string[]; timeoutMs: number };
export type MutantResult = { mutant: Mutant; verdict: Verdict; killedBy: string };

const { workerName, unchanged, forgeOptions, timeoutMs } = workerData as WorkerSetup;

/** Test folders of libraries. The tests of a mutant's contract run first, the others only if those pass. */
const testFolders: Record<string, string> = { FeePolicy: "FeeLocker", StartPrice: "LaunchFactory" };

parentPort?.on("message", (mutant: Mutant) => {
  parentPort?.postMessage(testMutant(mutant));
});

function testMutant(mutant: Mutant): MutantResult {
  let codes: CreationCodes;
  try {
    codes = buildMutantArtifacts(new Map([[mutant.path, createMutatedSource(mutant)]]), unchanged);
  } catch {
    return { mutant, verdict: "invalid", killedBy: "" };
  }
  if (Object.entries(codes).every(([name, code]) => unchanged[name] === code)) {
    return { mutant, verdict: "equivalent", killedBy: "" };
  }
  const folder = testFolders[mutant.contract] ?? mutant.contract;
  const stages = [["--match-path", `contracts/test/${folder}/*`], []];
  for (const stage of stages) {
    const run = runMutantTests(codes, workerName, ["--fail-fast", ...forgeOptions, ...stage], timeoutMs);
    if (run.verdict !== "passed") {
      return { mutant, verdict: run.verdict === "failed" ? "killed" : "timeout", killedBy: run.failures[0] ?? "" };
    }
  }
  return { mutant, verdict: "survived", killedBy: "" };
}
