import { decodeOpeningCreated, openingCreatedTopic } from "@slipway/protocol/openingLogs";
import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { OpeningPayload } from "../../live/outboxEvent.ts";
import { addOpening } from "../indexState.ts";
import { type Batch, getRows } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";

/** An opening by its OpeningCreated event. The texts are untrusted and unchanged: they are parameters of the launch. */
export type OpeningRow = {
  address: string;
  /** The opening factory. */
  factory: string;
  creator: string;
  name: string;
  symbol: string;
  contract_uri: string;
  splitter: string;
  partner: string;
  fee_bps: number;
  params_hash: string;
  minimum: bigint;
  cap: bigint;
  deadline: number;
  block_number: number;
  log_index: number;
  block_time: number;
  tx_hash: string;
};

/** A factory creates each opening once. A second row of an address is skipped: a conflict would stop the index. */
export const openingsTable = createEventTable<OpeningRow>(
  "openings",
  [
    ...(["address", "factory", "creator", "name", "symbol", "contract_uri", "splitter", "partner"] as const),
    ...(["fee_bps", "params_hash", "minimum", "cap", "deadline"] as const),
    ...(["block_number", "log_index", "block_time", "tx_hash"] as const),
  ],
  "on conflict do nothing",
);

/** Where an event of an opening is on the chain. */
type OpeningEventPlace = {
  block_number: number;
  log_index: number;
  opening: string;
  block_time: number;
  tx_hash: string;
};

const place = ["block_number", "log_index", "opening", "block_time", "tx_hash"] as const;

export type OpeningDepositRow = OpeningEventPlace & { account: string; amount: bigint; total: bigint };

export const openingDepositsTable = createEventTable<OpeningDepositRow>("opening_deposits", [
  ...place,
  "account",
  "amount",
  "total",
]);

export type OpeningEndRow = OpeningEventPlace & {
  kind: "opened" | "closed";
  token: string;
  spent: bigint;
  /** The tokens that the depositors share: bought by the launch, or arrived before it closed. */
  bought: bigint;
};

/** An opening ends once. A second row is skipped: a conflict would stop the index. */
export const openingEndsTable = createEventTable<OpeningEndRow>(
  "opening_ends",
  [...place, "kind", "token", "spent", "bought"],
  "on conflict do nothing",
);

export type OpeningClaimRow = OpeningEventPlace & {
  account: string;
  recipient: string;
  tokens: bigint;
  refund: bigint;
};

export const openingClaimsTable = createEventTable<OpeningClaimRow>("opening_claims", [
  ...place,
  "account",
  "recipient",
  "tokens",
  "refund",
]);

/** An opening adds itself to the watched addresses. Its first deposit can be in the same transaction, after this log. */
export const openingCreated: EventModule = {
  topic: openingCreatedTopic,
  role: "openingFactory",
  tables: [openingsTable],
  load: async (db, state) => {
    const { rows } = await db.query<{ address: string; block: number }>(
      "select address, block_number::float8 as block from chain.openings",
    );
    for (const row of rows) addOpening(state, row);
  },
  apply: (log, batch) => {
    const event = decodeOpeningCreated(log);
    const { state, at } = batch;
    if (event === null || state.openings.has(event.opening)) return;
    addOpening(state, { address: event.opening, block: at.blockNumber });
    getRows(batch, openingsTable).push({
      address: event.opening,
      factory: log.address.toLowerCase(),
      creator: event.creator,
      name: event.name,
      symbol: event.symbol,
      contract_uri: event.contractUri,
      splitter: event.splitter,
      partner: event.partner,
      fee_bps: event.feeBps,
      params_hash: event.paramsHash,
      minimum: event.minimum,
      cap: event.cap,
      deadline: event.deadline,
      block_number: at.blockNumber,
      log_index: at.logIndex,
      block_time: at.blockTime,
      tx_hash: at.txHash,
    });
  },
};

/** An account deposited native, or another account deposited for it. */
export const openingDeposited: EventModule = {
  topic: "0x73a19dd210f1a7f902193214c0ee91dd35ee5b4d920cba8d519eca65a7b488ca",
  role: "opening",
  tables: [openingDepositsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 2)) return;
    getRows(batch, openingDepositsTable).push({
      ...toPlace(batch, log.address),
      account: topicAddress(log.topics[1]!),
      amount: uintWord(log.data, 0),
      total: uintWord(log.data, 1),
    });
  },
};

/** The opening launched its token. */
export const openingOpened: EventModule = {
  topic: "0x0e00eb3434eeed137478dadba5581f87fdda6f16b438d9d1b616b24093bfbb42",
  role: "opening",
  tables: [openingEndsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 2)) return;
    getRows(batch, openingEndsTable).push({
      ...toPlace(batch, log.address),
      kind: "opened",
      token: topicAddress(log.topics[1]!),
      spent: uintWord(log.data, 0),
      bought: uintWord(log.data, 1),
    });
  },
};

/** The token was launched without the opening. */
export const openingClosed: EventModule = {
  topic: "0x62e59356f995b616eafcc3bd0402c7c6f7c820e205c92ea61436902e30b4dc2e",
  role: "opening",
  tables: [openingEndsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 1)) return;
    getRows(batch, openingEndsTable).push({
      ...toPlace(batch, log.address),
      kind: "closed",
      token: topicAddress(log.topics[1]!),
      spent: 0n,
      bought: uintWord(log.data, 0),
    });
  },
};

/** An account's tokens and refund were paid. */
export const openingClaimed: EventModule = {
  topic: "0x2f6639d24651730c7bf57c95ddbf96d66d11477e4ec626876f92c22e5f365e68",
  role: "opening",
  tables: [openingClaimsTable],
  apply: (log, batch) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 2)) return;
    getRows(batch, openingClaimsTable).push({
      ...toPlace(batch, log.address),
      account: topicAddress(log.topics[1]!),
      recipient: topicAddress(log.topics[2]!),
      tokens: uintWord(log.data, 0),
      refund: uintWord(log.data, 1),
    });
  },
};

function toPlace({ at }: Batch, opening: string): OpeningEventPlace {
  return {
    block_number: at.blockNumber,
    log_index: at.logIndex,
    opening: opening.toLowerCase(),
    block_time: at.blockTime,
    tx_hash: at.txHash,
  };
}

/** Lists the changes of openings in a batch, in the order of the chain. */
export function listOpeningEvents(batch: Batch): OpeningPayload[] {
  const none = { token: null, account: null, native_amount: null, token_amount: null, total: null };
  const at = ({ block_number, log_index, tx_hash }: Omit<OpeningEventPlace, "opening" | "block_time">) => ({
    block_number,
    log_index,
    tx_hash,
  });
  const events: OpeningPayload[] = [
    ...getRows(batch, openingsTable).map((row) => ({
      ...none,
      ...at(row),
      kind: "created" as const,
      opening: row.address,
      account: row.creator,
    })),
    ...getRows(batch, openingDepositsTable).map((row) => ({
      ...none,
      ...at(row),
      kind: "deposited" as const,
      opening: row.opening,
      account: row.account,
      native_amount: row.amount.toString(),
      total: row.total.toString(),
    })),
    ...getRows(batch, openingEndsTable).map((row) => ({
      ...none,
      ...at(row),
      kind: row.kind,
      opening: row.opening,
      token: row.token,
      native_amount: row.spent.toString(),
      token_amount: row.bought.toString(),
    })),
    ...getRows(batch, openingClaimsTable).map((row) => ({
      ...none,
      ...at(row),
      kind: "claimed" as const,
      opening: row.opening,
      account: row.account,
      native_amount: row.refund.toString(),
      token_amount: row.tokens.toString(),
    })),
  ];
  return events.sort((a, b) => a.block_number - b.block_number || a.log_index - b.log_index);
}
