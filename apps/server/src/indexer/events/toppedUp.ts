import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { getRows } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";

export type TopUpRow = {
  block_number: number;
  log_index: number;
  quote_id: string;
  wallet: string;
  token: string;
  token_amount: bigint;
  native_amount: bigint;
  block_time: number;
  tx_hash: string;
};

/** The contract accepts each quote once. A second row of a quote is skipped: a conflict would stop the index. */
const topUpsTable = createEventTable<TopUpRow>(
  "topups",
  [
    "block_number",
    "log_index",
    "quote_id",
    "wallet",
    "token",
    "token_amount",
    "native_amount",
    "block_time",
    "tx_hash",
  ],
  "on conflict do nothing",
);

/** The gas station sold native for a stablecoin. */
export const toppedUp: EventModule = {
  topic: "0x702a8a78f8f522f121bb26e4a7b17c2f393b82f720a84170291412e075ff7288",
  role: "station",
  tables: [topUpsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 4 || !hasWords(log.data, 2)) return;
    getRows(batch, topUpsTable).push({
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
