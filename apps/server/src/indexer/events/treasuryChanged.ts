import { topicAddress } from "@slipway/protocol/rawLog";
import { getRows } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";

export type TreasuryChangeRow = {
  block_number: number;
  log_index: number;
  fee_locker: string;
  previous: string;
  treasury: string;
  block_time: number;
};

const treasuryChangesTable = createEventTable<TreasuryChangeRow>("treasury_changes", [
  "block_number",
  "log_index",
  "fee_locker",
  "previous",
  "treasury",
  "block_time",
]);

/** A locker's treasury moved. */
export const treasuryChanged: EventModule = {
  topic: "0x8c3aa5f43a388513435861bf27dfad7829cd248696fed367c62d441f62954496",
  role: "locker",
  tables: [treasuryChangesTable],
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 3) return;
    getRows(batch, treasuryChangesTable).push({
      block_number: batch.at.blockNumber,
      log_index: batch.at.logIndex,
      fee_locker: emitter.locker!.feeLocker,
      previous: topicAddress(log.topics[1]!),
      treasury: topicAddress(log.topics[2]!),
      block_time: batch.at.blockTime,
    });
  },
};
