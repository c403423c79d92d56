import { judgeSignals as judge, type ResolvedSignal } from "@slipway/quant/signals/trackRecord";

/** Judges signals; the pool calls it on a separate thread. */
export function judgeSignals(signals: readonly ResolvedSignal[]): ReturnType<typeof judge> {
  return judge(signals);
}
