import { hasWords, type RawLog, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { type Batch, getRows } from "../reduce/batch.ts";
import { zeroAddress } from "../reduce/isHolder.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";

/** A splitter that a launch names, and the proof by its deployment (fetch/fetchDeployments.ts). */
export type SplitterRow = {
  address: string;
  proven: boolean | null;
  reason: string | null;
  birth_tx: string | null;
  birth_block: number | null;
  block_number: number;
};

/** The first launch that names a splitter inserts its row; later launches do not change the row. */
export const splittersTable = createEventTable<SplitterRow>(
  "splitters",
  ["address", "proven", "reason", "birth_tx", "birth_block", "block_number"],
  "on conflict do nothing",
);

export type PayeeRow = { splitter: string; position: number; payee: string; share_bps: number; block_number: number };

export const splitterPayeesTable = createEventTable<PayeeRow>(
  "splitter_payees",
  ["splitter", "position", "payee", "share_bps", "block_number"],
  "on conflict do nothing",
);

export type SplitterEventRow = {
  block_number: number;
  log_index: number;
  splitter: string;
  kind: "released" | "native_received";
  /** The zero address means native. */
  asset: string;
  account: string;
  amount: bigint;
  block_time: number;
  tx_hash: string;
};

/** Conflicts are ignored: a log of the launch's own block is read with the splitter's history and with the block. */
export const splitterEventsTable = createEventTable<SplitterEventRow>(
  "splitter_events",
  ["block_number", "log_index", "splitter", "kind", "asset", "account", "amount", "block_time", "tx_hash"],
  "on conflict do nothing",
);

/** A splitter paid a payee's share, native or wrapped, to any receiver. The row's account is the payee. */
export const splitterReleased: EventModule = {
  topic: "0x028004565487108b57aba18c980e8f2b59c50ffeebc2da5c2381711ac1ad34a0",
  role: "splitter",
  tables: [splitterEventsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 4 || !hasWords(log.data, 2)) return;
    addSplitterEvent(batch, log, "released", topicAddress(log.topics[1]!), topicAddress(log.topics[2]!));
  },
};

/** A splitter received native. */
export const splitterNativeReceived: EventModule = {
  topic: "0x8ac633e5b094e1150d2a6495df4d0c77f51d293abe99e7733c78870dfbee7660",
  role: "splitter",
  tables: [splitterEventsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 1)) return;
    addSplitterEvent(batch, log, "native_received", zeroAddress, topicAddress(log.topics[1]!));
  },
};

function addSplitterEvent(
  batch: Batch,
  log: RawLog,
  kind: SplitterEventRow["kind"],
  asset: string,
  account: string,
): void {
  getRows(batch, splitterEventsTable).push({
    block_number: batch.at.blockNumber,
    log_index: batch.at.logIndex,
    splitter: log.address.toLowerCase(),
    kind,
    asset,
    account,
    amount: uintWord(log.data, 0),
    block_time: batch.at.blockTime,
    tx_hash: batch.at.txHash,
  });
}
