import type { Client, Queryable } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import { outboxChannel } from "../../live/listenToOutbox.ts";
import type { OutboxEvent, StoredCandle } from "../../live/outboxEvent.ts";
import { ethUsdTable } from "../events/ethUsd.ts";
import { type LaunchRow, tokensTable } from "../events/launched.ts";
import { listOpeningEvents } from "../events/openingEvents.ts";
import { type ReducedTrade, tradesTable } from "../events/poolSwap.ts";
import { type SplitterReceiptRow, splitterReceiptsTable } from "../events/splitterReceipts.ts";
import { type Batch, getRows } from "../reduce/batch.ts";
import { insertRows } from "./copyRows.ts";

/** The columns that the writer sets. */
type OutboxRow = { block_number: number } & OutboxEvent;

/** Results of writing a batch: the stored candles, and the tokens whose 24 h window was computed. */
export type Written = { candles: readonly StoredCandle[]; refreshed: readonly string[] };

/** Writes the events of a batch near the head: launches, trades, openings, candles, and other changes of tokens. */
export async function writeOutbox(
  client: Client,
  batch: Batch,
  toBlock: number,
  { candles, refreshed }: Written,
): Promise<void> {
  const trades = getRows(batch, tradesTable);
  // Only tokens of the batch: the index has many tokens.
  const addresses = new Map([...batch.touched].map((token) => [token.id, token.address]));
  const rows: OutboxRow[] = [];
  for (const launch of getRows(batch, tokensTable)) rows.push(toLaunchEvent(launch));
  for (const trade of trades) rows.push(toTradeEvent(trade));
  for (const fees of sumReceipts(getRows(batch, splitterReceiptsTable))) rows.push(fees);
  for (const payload of listOpeningEvents(batch)) {
    rows.push({ block_number: payload.block_number, kind: "opening", token: null, payload });
  }
  for (const candle of candles) {
    const address = addresses.get(candle.token_id)!;
    rows.push({ block_number: toBlock, kind: "candle", token: address, payload: { address, ...candle } });
  }
  const traded = new Set(trades.map((trade) => trade.token.address));
  const changed = new Set([...batch.touched].map((token) => token.address));
  for (const address of refreshed) changed.add(address);
  const quiet = [...changed].filter((address) => !traded.has(address));
  if (quiet.length > 0) {
    rows.push({ block_number: toBlock, kind: "state", token: null, payload: { tokens: quiet } });
  }
  const ethUsd = getRows(batch, ethUsdTable).at(-1);
  if (ethUsd) {
    const { price, block_number, block_time } = ethUsd;
    rows.push({ block_number, kind: "eth_usd", token: null, payload: { price, block_number, block_time } });
  }
  await insertEvents(client, rows);
}

/** Writes the event that a range was indexed in one step. Readers of the outbox then read all data again. */
export async function writeBatchEvent(client: Client, { from, to }: { from: number; to: number }): Promise<void> {
  const payload = { from_block: from, to_block: to };
  await insertEvents(client, [{ block_number: to, kind: "batch", token: null, payload }]);
}

/** Writes the event of an undo, with the retracted launches and trades. */
export async function writeRetractedEvent(
  client: Client,
  payload: Extract<OutboxEvent, { kind: "retracted" }>["payload"],
): Promise<void> {
  await insertEvents(client, [{ block_number: payload.above_block, kind: "retracted", token: null, payload }]);
}

async function insertEvents(client: Client, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await pipeline(client, [
    () => insertRows(client, "outbox", rows),
    // PostgreSQL delivers the notification when the transaction commits.
    () => runPrepared(client, `select pg_notify('${outboxChannel}', coalesce(max(id), 0)::text) from chain.outbox`),
  ]);
}

function toLaunchEvent(launch: LaunchRow): OutboxRow {
  const { contract_uri, search_text, salt, creator_launches, ...row } = launch;
  return {
    block_number: launch.block_number,
    kind: "launch",
    token: launch.address,
    payload: {
      ...row,
      locked_liquidity: row.locked_liquidity.toString(),
      initial_buy_in: row.initial_buy_in?.toString() ?? null,
      initial_buy_out: row.initial_buy_out?.toString() ?? null,
    },
  };
}

function toTradeEvent(trade: ReducedTrade): OutboxRow {
  const { token, ...row } = trade;
  return {
    block_number: trade.block_number,
    kind: "trade",
    token: token.address,
    payload: {
      address: token.address,
      token_id: token.id,
      ...row,
      token_amount: row.token_amount.toString(),
      quote_amount: row.quote_amount.toString(),
    },
  };
}

/**
 * Returns an event for each block, splitter, asset and launch of which the receipts are above zero: a settlement whose payment
 * failed has a second, negative receipt.
 */
function sumReceipts(receipts: readonly SplitterReceiptRow[]): OutboxRow[] {
  const groups = Map.groupBy(receipts, ({ block_number, splitter, asset, token }) =>
    [block_number, splitter, asset, token].join(" "),
  );
  return [...groups.values()].flatMap((group): OutboxRow[] => {
    const amount = group.reduce((sum, receipt) => sum + receipt.amount, 0n);
    if (amount <= 0n) return [];
    const { block_number, log_index, splitter, asset, token, tx_hash } = group.at(-1)!;
    const payload = { splitter, asset, amount: amount.toString(), block_number, log_index, tx_hash };
    return [{ block_number, kind: "fees", token, payload }];
  });
}

/**
 * Deletes rows older than a day. A reader with an older cursor starts from a snapshot. The newest row stays, because an
 * empty outbox does not show that a cursor is old.
 */
export async function pruneOutbox(db: Queryable): Promise<void> {
  await db.query(
    `delete from chain.outbox
     where created_at < now() - interval '24 hours' and id < (select max(id) from chain.outbox)`,
  );
}
