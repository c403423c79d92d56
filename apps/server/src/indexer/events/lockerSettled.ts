import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** Credits of one asset of a launch were paid out to splitter, treasury and partner. */
export const lockerSettled: EventModule = {
  topic: "0xbd20f9a8dc12d20d7c11f3bc9980117f90a4dc3deae49c87938a56aa2ca2b041",
  role: "locker",
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 3)) return;
    const { at, state } = batch;
    const token = state.tokens.get(topicAddress(log.topics[1]!));
    if (token?.locker !== emitter.locker!.feeLocker) return;
    touch(batch, token);
    const [collaborators, protocol, partner] = [uintWord(log.data, 0), uintWord(log.data, 1), uintWord(log.data, 2)];
    batch.feeEvents.push({
      block_number: at.blockNumber,
      log_index: at.logIndex,
      part: 0,
      token_id: token.id,
      kind: "settled",
      asset: topicAddress(log.topics[2]!),
      amount: collaborators + protocol + partner,
      collaborators_amount: collaborators,
      protocol_amount: protocol,
      partner_amount: partner,
      block_time: at.blockTime,
      tx_hash: at.txHash,
    });
  },
};
