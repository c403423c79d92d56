import type { RawLog } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";

/** The logs of a transaction with a swap: from `start` to before `end`. `swap` is one of its Swap logs. */
type SwapTransaction = { start: number; end: number; swap: RawLog };

/** Lists the transactions with swaps. @param logs - Logs in chain order. */
export function* swapTransactions(logs: readonly RawLog[]): Generator<SwapTransaction> {
  for (let start = 0; start < logs.length; ) {
    const hash = logs[start]!.transactionHash;
    let swap: RawLog | null = null;
    let end = start;
    for (; end < logs.length && logs[end]!.transactionHash === hash; end++)
      if (logs[end]!.topics[0] === swapTopic) swap = logs[end]!;
    if (swap !== null) yield { start, end, swap };
    start = end;
  }
}
