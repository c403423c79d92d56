import { fileURLToPath } from "node:url";
import type { ResolvedSignal } from "@slipway/quant/signals/trackRecord";
import { createThreadPool } from "./createThreads.ts";
import type { judgeSignals } from "./judgeSignals.ts";

/**
 * Judges signals on a separate thread, which ends afterwards: tens of thousands of signals take seconds, once an hour.
 */
export async function runSignalJudge(signals: readonly ResolvedSignal[]): Promise<ReturnType<typeof judgeSignals>> {
  const program = fileURLToPath(new URL("judgeSignals.ts", import.meta.url));
  const pool = createThreadPool({ program, threads: 1, maxMemoryMb: 512 });
  try {
    return (await pool.run(signals, { name: "judgeSignals" })) as ReturnType<typeof judgeSignals>;
  } finally {
    await pool.destroy();
  }
}
