import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { type Batch, getRows } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable, type EventTable } from "./eventTable.ts";

/** An amount that a settlement paid to a splitter; negative for a part whose payment failed. */
export type SplitterReceiptRow = {
  block_number: number;
  log_index: number;
  splitter: string;
  asset: string;
  amount: bigint;
  /** The launch that earned it; null for an owed amount that is paid later. Not a column. */
  token: string | null;
  /** Not a column. */
  tx_hash: string;
};

/** Amounts that settlements paid to splitters, without donations. Triggers sum them in chain.splitter_received. */
export const splitterReceiptsTable: EventTable<SplitterReceiptRow> = createEventTable("splitter_receipts", [
  "block_number",
  "log_index",
  "splitter",
  "asset",
  "amount",
]);

/** A receipt of a splitter, at the position of the current log. */
type Receipt = Pick<SplitterReceiptRow, "splitter" | "asset" | "amount" | "token">;

/** Adds a splitter receipt at the position of the current log. Ignores zero. */
export function addSplitterReceipt(batch: Batch, receipt: Receipt): void {
  if (receipt.amount === 0n) return;
  const { blockNumber, logIndex, txHash } = batch.at;
  getRows(batch, splitterReceiptsTable).push({
    block_number: blockNumber,
    log_index: logIndex,
    tx_hash: txHash,
    ...receipt,
  });
}

/** A settlement could not pay a party; the locker owes the amount. */
export const paymentOwed: EventModule = {
  topic: "0xdfa9947674b4a073e60458ec4b4e89d29427e026c2a325f10283b26063a41806",
  role: "locker",
  tables: [splitterReceiptsTable],
  apply: (log, batch, emitter) => {
    if (log.topics.length !== 4 || !hasWords(log.data, 1)) return;
    const [, token, asset, party] = log.topics.map(topicAddress) as [string, string, string, string];
    // A locker owes only to parties of its own launches.
    if (batch.state.tokens.get(token)?.locker !== emitter.locker!.feeLocker) return;
    addSplitterReceipt(batch, { splitter: party, asset, amount: -uintWord(log.data, 0), token });
  },
};

/** A locker paid an owed amount. */
export const owedPaid: EventModule = {
  topic: "0xb62a184d3f60e5d527e834fd6d66873cec28c9ac5c34a0b1c0f102520583187f",
  role: "locker",
  tables: [splitterReceiptsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 1)) return;
    const [, asset, party] = log.topics.map(topicAddress) as [string, string, string];
    addSplitterReceipt(batch, { splitter: party, asset, amount: uintWord(log.data, 0), token: null });
  },
};
