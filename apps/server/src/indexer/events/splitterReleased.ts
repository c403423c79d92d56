import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { EventModule } from "./eventModule.ts";

/** A splitter paid a payee. */
export const splitterReleased: EventModule = {
  topic: "0x2d87480f50083e2b2759522a8fdda59802650a8055e609a7772cf70c07748f52",
  role: "splitter",
  apply: (log, batch) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 1)) return;
    batch.splitterEvents.push({
      block_number: batch.at.blockNumber,
      log_index: batch.at.logIndex,
      splitter: log.address.toLowerCase(),
      kind: "released",
      asset: topicAddress(log.topics[1]!),
      account: topicAddress(log.topics[2]!),
      amount: uintWord(log.data, 0),
      block_time: batch.at.blockTime,
      tx_hash: batch.at.txHash,
    });
  },
};
