import { fileURLToPath } from "node:url";
import type { PairRisk } from "@slipway/quant/risk/riskSnapshot";
import type { Clock } from "../clock.ts";
import type { RiskTask } from "./computeRisk.ts";
import { createThreads } from "./createThreads.ts";

export type RiskComputer = {
  /** Computes the risk of a pair on another thread. @throws SlipwayError `overloaded` when it takes too long. */
  compute(task: RiskTask): Promise<PairRisk>;
  /** Ends the thread. */
  stop(): Promise<void>;
};

/** The maximum time for a pair; the first computation of a pair takes a tenth of a second. */
const deadlineMs = 30_000;

/** Creates the thread that computes risk. One thread suffices, because a pair is computed once an hour. */
export function createRiskComputer({ clock }: { clock: Pick<Clock, "sleep"> }): RiskComputer {
  const threads = createThreads({
    clock,
    program: fileURLToPath(new URL("computeRisk.ts", import.meta.url)),
    threads: 1,
    maxMemoryMb: 256,
    what: "risk of a pair",
  });
  return {
    compute: async (task) => await threads.run<PairRisk>("computeRisk", task, deadlineMs),
    stop: async () => await threads.stop(),
  };
}
