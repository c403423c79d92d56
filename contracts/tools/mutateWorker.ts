// A lane of the mutation run: builds the mutants that it is given, one after the other, and tests each.
import { parentPort, workerData } from "node:worker_threads";
import { buildArtifacts, type CreationCodes } from "./mutateArtifacts.ts";
import { type Mutant, mutatedSource } from "./mutateGenerate.ts";
import { runTests } from "./mutateRunner.ts";

/** `equivalent`: compiled to the very same code. `stillborn`: does not compile. */
export type Verdict = "killed" | "survived" | "timeout" | "equivalent" | "stillborn";
export type LaneSetup = { lane: string; unchanged: CreationCodes; options: string[] };
export type Judged = { mutant: Mutant; verdict: Verdict; killedBy: string };

const { lane, unchanged, options } = workerData as LaneSetup;

/** The tests that are most likely to see a mutant, by the folder they lie in; the others run when they do not. */
const folderOf: Record<string, string> = { FeePolicy: "FeeLocker", StartPrice: "LaunchFactory" };

parentPort?.on("message", (mutant: Mutant) => {
  parentPort?.postMessage(judge(mutant));
});

function judge(mutant: Mutant): Judged {
  let codes: CreationCodes;
  try {
    codes = buildArtifacts(new Map([[mutant.path, mutatedSource(mutant)]]), unchanged);
  } catch {
    return { mutant, verdict: "stillborn", killedBy: "" };
  }
  if (Object.entries(codes).every(([name, code]) => unchanged[name] === code)) {
    return { mutant, verdict: "equivalent", killedBy: "" };
  }
  const folder = folderOf[mutant.contract] ?? mutant.contract;
  const stages = [["--match-path", `contracts/test/${folder}/*`], []];
  for (const stage of stages) {
    const run = runTests(codes, lane, ["--fail-fast", ...options, ...stage]);
    if (run.verdict !== "passed") {
      return { mutant, verdict: run.verdict === "failed" ? "killed" : "timeout", killedBy: run.failures[0] ?? "" };
    }
  }
  return { mutant, verdict: "survived", killedBy: "" };
}
