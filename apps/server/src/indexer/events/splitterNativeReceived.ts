import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { EventModule } from "./eventModule.ts";
import { zeroAddress } from "./tokenTransfer.ts";

/** A splitter was sent native. */
export const splitterNativeReceived: EventModule = {
  topic: "0x8ac633e5b094e1150d2a6495df4d0c77f51d293abe99e7733c78870dfbee7660",
  role: "splitter",
  apply: (log, batch) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 1)) return;
    batch.splitterEvents.push({
      block_number: batch.at.blockNumber,
      log_index: batch.at.logIndex,
      splitter: log.address.toLowerCase(),
      kind: "native_received",
      asset: zeroAddress,
      account: topicAddress(log.topics[1]!),
      amount: uintWord(log.data, 0),
      block_time: batch.at.blockTime,
      tx_hash: batch.at.txHash,
    });
  },
};
