import { fileURLToPath } from "node:url";
import type { ResolvedSignal } from "@slipway/quant/signals/trackRecord";
import { Tinypool } from "tinypool";
import type { judgeSignals } from "./judgeSignals.ts";

/**
 * Judges signals on a thread that is started for it and ends with it: tens of thousands of signals take seconds, once an
 * hour.
 */
export async function runSignalJudge(signals: readonly ResolvedSignal[]): Promise<ReturnType<typeof judgeSignals>> {
  const pool = new Tinypool({
    runtime: "worker_threads",
    filename: fileURLToPath(new URL("judgeSignals.ts", import.meta.url)),
    minThreads: 1,
    maxThreads: 1,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  pool.on("error", () => undefined);
  try {
    return (await pool.run(signals, { name: "judgeSignals" })) as ReturnType<typeof judgeSignals>;
  } finally {
    await pool.destroy();
  }
}
