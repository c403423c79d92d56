import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { toAddress, toHash } from "../../../../../tests/support/server/rows.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { listOutboxChanges, listOutboxEvents } from "../../live/queries.ts";
import { ethUsdTable } from "../events/ethUsd.ts";
import { tokensTable } from "../events/launched.ts";
import { openingClaimsTable, openingDepositsTable, openingEndsTable, openingsTable } from "../events/openingEvents.ts";
import { tradesTable } from "../events/poolSwap.ts";
import { splitterReceiptsTable } from "../events/splitterReceipts.ts";
import type { TokenRef } from "../indexState.ts";
import type { Batch } from "../reduce/batch.ts";
import { writeBatchEvent, writeOutbox, writeRetractedEvent } from "./writeOutbox.ts";

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

const token = toAddress(1);
const quiet = toAddress(2);
const large = 2n ** 100n;

const launch = {
  id: 1,
  address: token,
  pool: toAddress(5),
  deployment_id: 1,
  is_token0: true,
  name: "Tin Boat",
  symbol: "TIN",
  description: null,
  image: null,
  website: null,
  creator: toAddress(6),
  splitter: toAddress(7),
  partner: null,
  partner_share_bps: 0,
  fee_bps: 100,
  protocol_fee_bps: 30,
  quote_token: toAddress(8),
  tick_start: 0,
  tick_lower: -200,
  tick_upper: 200,
  start_price: 1e-9,
  start_eth_usd: 2_000,
  initial_buy_recipient: toAddress(6),
  block_number: 5,
  block_time: 50,
  log_index: 1,
  tx_hash: toHash(1),
};
const trade = {
  block_number: 6,
  log_index: 2,
  block_time: 60,
  pool_price: 0.5,
  eth_usd: 2_000,
  maker: toAddress(9),
  account: toAddress(8),
  account_source: "transfers",
  recipient: toAddress(9),
  is_buy: true,
  tx_hash: toHash(2),
};
const candle = {
  token_id: 1,
  seconds: 60,
  t: 60,
  o: 1,
  h: 2,
  l: 0.5,
  c: 1.5,
  o_usd: null,
  h_usd: null,
  l_usd: null,
  c_usd: null,
  n: 1,
  buys: 1,
  vq: large.toString(),
  v: null,
};
const ethUsd = { block_number: 6, log_index: 3, block_time: 60, price: 2_000, sqrt_price_x96: large, tick: 0 };
const receipt = {
  block_number: 6,
  log_index: 4,
  splitter: toAddress(7),
  asset: toAddress(8),
  token,
  tx_hash: toHash(4),
};
const receipts = [
  { ...receipt, amount: large },
  // Another payment of the same launch; one that failed; and one of an owed amount.
  { ...receipt, log_index: 5, amount: 1n },
  { ...receipt, log_index: 6, asset: token, amount: 9n },
  { ...receipt, log_index: 7, asset: token, amount: -9n },
  { ...receipt, log_index: 8, token: null, amount: 3n },
];
const paid = { block_number: 6, splitter: toAddress(7), asset: toAddress(8), tx_hash: toHash(4) };
const opening = toAddress(11);
const placeOf = (log_index: number) => ({ block_number: 6, log_index, tx_hash: toHash(5) });
const created = { ...placeOf(10), address: opening, creator: toAddress(6) };
const deposited = { ...placeOf(11), opening, account: toAddress(9), amount: large, total: large + 1n };
const ended = { ...placeOf(12), opening, kind: "opened", token, spent: large, bought: 7n };
const claimed = { ...placeOf(13), opening, account: toAddress(9), recipient: toAddress(8), tokens: 5n, refund: 3n };
const noAmounts = { token: null, account: null, native_amount: null, token_amount: null, total: null };
const toOpeningEvent = (log_index: number, payload: object) => ({
  kind: "opening",
  token: null,
  payload: { ...noAmounts, ...placeOf(log_index), opening, ...payload },
});
const retracted = {
  above_block: 5,
  trades: [`${toHash(2)}:2`],
  launches: [token],
  tokens: [token, quiet],
  fees: ["fees:6:5"],
  openings: [opening],
};

test("the reader parses every event that the writer writes, with exact amounts", async () => {
  const ref = { id: 1, address: token } as TokenRef;
  const texts = { contract_uri: "https://a.example", salt: toHash(3), search_text: "tin" };
  const buys = { locked_liquidity: large, initial_buy_in: large, initial_buy_out: null };
  const amounts = { token_amount: large, quote_amount: 1n };
  const batch: Pick<Batch, "touched" | "rows"> = {
    touched: new Set([ref, { id: 2, address: quiet } as TokenRef]),
    rows: new Map<object, object[]>([
      [tokensTable, [{ ...launch, ...texts, ...buys }]],
      [tradesTable, [{ ...trade, ...amounts, token: ref }]],
      [splitterReceiptsTable, receipts],
      [openingsTable, [created]],
      [openingDepositsTable, [deposited]],
      [openingEndsTable, [ended]],
      [openingClaimsTable, [claimed]],
      [ethUsdTable, [{ ...ethUsd, liquidity: 1n }]],
    ]) as Batch["rows"],
  };
  await withTransaction(database.db.indexer, async (client) => {
    await writeOutbox(client, batch as Batch, 6, { candles: [candle], refreshed: [] });
    await writeBatchEvent(client, { from: 7, to: 9 });
    await writeRetractedEvent(client, retracted);
  });

  const rows = await listOutboxEvents(database.db.read, 0, 100);
  expect(rows.map(({ event }) => event)).toEqual([
    {
      kind: "launch",
      token,
      payload: { ...launch, locked_liquidity: String(large), initial_buy_in: String(large), initial_buy_out: null },
    },
    {
      kind: "trade",
      token,
      payload: { ...trade, address: token, token_id: 1, token_amount: String(large), quote_amount: "1" },
    },
    { kind: "fees", token, payload: { ...paid, log_index: 5, amount: String(large + 1n) } },
    { kind: "fees", token: null, payload: { ...paid, log_index: 8, amount: "3" } },
    toOpeningEvent(10, { kind: "created", account: toAddress(6) }),
    toOpeningEvent(11, {
      kind: "deposited",
      account: toAddress(9),
      native_amount: String(large),
      total: String(large + 1n),
    }),
    toOpeningEvent(12, { kind: "opened", token, native_amount: String(large), token_amount: "7" }),
    toOpeningEvent(13, { kind: "claimed", account: toAddress(9), native_amount: "3", token_amount: "5" }),
    { kind: "candle", token, payload: { ...candle, address: token } },
    { kind: "state", token: null, payload: { tokens: [quiet] } },
    { kind: "eth_usd", token: null, payload: { price: 2_000, block_number: 6, block_time: 60 } },
    { kind: "batch", token: null, payload: { from_block: 7, to_block: 9 } },
    { kind: "retracted", token: null, payload: retracted },
  ]);
  const changes = await listOutboxChanges(database.db.read, 0, 100);
  expect(changes.map(({ change }) => change.kind)).toEqual(rows.map(({ event }) => event.kind));
  expect(changes.at(-1)!.change).toMatchObject({ tokens: [token, quiet, token] });
});
