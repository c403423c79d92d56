import { judgeSignals as judge, type ResolvedSignal } from "@slipway/quant/signals/trackRecord";

/** Judges signals; called by the pool on a thread of its own. */
export function judgeSignals(signals: readonly ResolvedSignal[]): ReturnType<typeof judge> {
  return judge(signals);
}
