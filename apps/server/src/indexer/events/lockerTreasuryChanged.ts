import { topicAddress } from "@slipway/protocol/rawLog";
import type { EventModule } from "./eventModule.ts";

/** A locker's treasury moved. */
export const lockerTreasuryChanged: EventModule = {
  topic: "0x8c3aa5f43a388513435861bf27dfad7829cd248696fed367c62d441f62954496",
  role: "locker",
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 3) return;
    batch.treasuryChanges.push({
      block_number: batch.at.blockNumber,
      log_index: batch.at.logIndex,
      fee_locker: emitter.locker!.feeLocker,
      previous: topicAddress(log.topics[1]!),
      treasury: topicAddress(log.topics[2]!),
      block_time: batch.at.blockTime,
    });
  },
};
