import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { EventModule } from "./eventModule.ts";

/** The gas station sold native. */
export const stationToppedUp: EventModule = {
  topic: "0x702a8a78f8f522f121bb26e4a7b17c2f393b82f720a84170291412e075ff7288",
  role: "station",
  apply: (log, batch) => {
    if (log.topics.length !== 4 || !hasWords(log.data, 2)) return;
    batch.topups.push({
      block_number: batch.at.blockNumber,
      log_index: batch.at.logIndex,
      quote_id: log.topics[1]!.toLowerCase(),
      wallet: topicAddress(log.topics[2]!),
      token: topicAddress(log.topics[3]!),
      token_amount: uintWord(log.data, 0),
      native_amount: uintWord(log.data, 1),
      block_time: batch.at.blockTime,
      tx_hash: batch.at.txHash,
    });
  },
};
