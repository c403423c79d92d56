import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { TokenRef } from "../indexState.ts";
import { type Batch, getRows, touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";
import { addSplitterReceipt, splitterReceiptsTable } from "./splitterReceipts.ts";

export type FeeEventRow = {
  block_number: number;
  log_index: number;
  /** 0 or 1: a Collected event contains both assets and has two rows, the launch token's first. */
  part: number;
  token_id: number;
  kind: "collected" | "settled";
  asset: string;
  amount: bigint;
  collaborators_amount: bigint | null;
  protocol_amount: bigint | null;
  partner_amount: bigint | null;
  block_time: number;
  tx_hash: string;
};

/** Fee events of the lockers. */
export const feeEventsTable = createEventTable<FeeEventRow>("fee_events", [
  "block_number",
  "log_index",
  "part",
  "token_id",
  "kind",
  "asset",
  "amount",
  "collaborators_amount",
  "protocol_amount",
  "partner_amount",
  "block_time",
  "tx_hash",
]);

/** A collection moved fees of both assets from the pool to the locker. */
export const lockerCollected: EventModule = {
  topic: "0x8f0c3d4726e2d22ccf850efced91f2d0c1bea40229449223d795a6cff3276236",
  role: "locker",
  tables: [feeEventsTable],
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 2)) return;
    const token = findToken(batch, topicAddress(log.topics[1]!), emitter.locker!.feeLocker);
    if (token === null) return;
    touch(batch, token);
    for (const [part, asset] of [token.address, batch.state.sources.wrappedNative].entries()) {
      addFeeEvent(batch, token, {
        part,
        kind: "collected",
        asset,
        amount: uintWord(log.data, part),
        collaborators_amount: null,
        protocol_amount: null,
        partner_amount: null,
      });
    }
  },
};

/** A settlement paid credits of one asset of a launch to splitter, treasury and partner. */
export const lockerSettled: EventModule = {
  topic: "0xbd20f9a8dc12d20d7c11f3bc9980117f90a4dc3deae49c87938a56aa2ca2b041",
  role: "locker",
  tables: [feeEventsTable, splitterReceiptsTable],
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 3)) return;
    const token = findToken(batch, topicAddress(log.topics[1]!), emitter.locker!.feeLocker);
    if (token === null) return;
    touch(batch, token);
    const collaborators = uintWord(log.data, 0);
    const protocol = uintWord(log.data, 1);
    const partner = uintWord(log.data, 2);
    const asset = topicAddress(log.topics[2]!);
    addFeeEvent(batch, token, {
      part: 0,
      kind: "settled",
      asset,
      amount: collaborators + protocol + partner,
      collaborators_amount: collaborators,
      protocol_amount: protocol,
      partner_amount: partner,
    });
    addSplitterReceipt(batch, { splitter: token.splitter, asset, amount: collaborators, token: token.address });
  },
};

/** Returns the token at an address; null for a token of another locker. */
function findToken(batch: Batch, address: string, feeLocker: string): TokenRef | null {
  const token = batch.state.tokens.get(address);
  return token?.locker === feeLocker ? token : null;
}

type FeeFacts = Omit<FeeEventRow, "block_number" | "log_index" | "token_id" | "block_time" | "tx_hash">;

function addFeeEvent(batch: Batch, token: TokenRef, facts: FeeFacts): void {
  const { blockNumber, blockTime, logIndex, txHash } = batch.at;
  getRows(batch, feeEventsTable).push({
    block_number: blockNumber,
    log_index: logIndex,
    token_id: token.id,
    block_time: blockTime,
    tx_hash: txHash,
    ...facts,
  });
}

type TreasuryChangeRow = {
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

/** A locker's treasury changed. */
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
