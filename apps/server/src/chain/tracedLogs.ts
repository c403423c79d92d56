import type { Hex } from "viem";
import type { SimulatedLog } from "./assetChanges.ts";
import type { Chain } from "./chain.ts";

type TracedFrame = {
  error?: string;
  logs?: { address: Hex; topics: Hex[]; data: Hex }[];
  calls?: TracedFrame[];
};

const traceOptions = { tracer: "callTracer", tracerConfig: { withLog: true } };

/**
 * The logs that a call would leave, by `debug_traceCall`, frame by frame; none where the node has no tracer.
 *
 * @param params - As for eth_call: the call and the block.
 */
export async function tracedLogs(chain: Pick<Chain, "request">, params: readonly unknown[]): Promise<SimulatedLog[]> {
  try {
    const frame = await chain.request({ method: "debug_traceCall", params: [...params, traceOptions] });
    return logsOf(frame as TracedFrame);
  } catch {
    return [];
  }
}

/** What a reverted frame logged is undone with it. */
function logsOf(frame: TracedFrame): SimulatedLog[] {
  if (frame.error !== undefined) return [];
  return [...(frame.logs ?? []), ...(frame.calls ?? []).flatMap(logsOf)];
}
