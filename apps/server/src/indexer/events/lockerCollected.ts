import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** Fees of both assets came from the pool into the locker: one row for each asset. */
export const lockerCollected: EventModule = {
  topic: "0x8f0c3d4726e2d22ccf850efced91f2d0c1bea40229449223d795a6cff3276236",
  role: "locker",
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 2)) return;
    const { at, state } = batch;
    const token = state.tokens.get(topicAddress(log.topics[1]!));
    if (token?.locker !== emitter.locker!.feeLocker) return;
    touch(batch, token);
    for (const [part, asset] of [token.address, state.sources.wrappedNative].entries()) {
      batch.feeEvents.push({
        block_number: at.blockNumber,
        log_index: at.logIndex,
        part,
        token_id: token.id,
        kind: "collected",
        asset,
        amount: uintWord(log.data, part),
        collaborators_amount: null,
        protocol_amount: null,
        partner_amount: null,
        block_time: at.blockTime,
        tx_hash: at.txHash,
      });
    }
  },
};
