import type { Client, Queryable } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import { outboxChannel } from "../../live/outboxListener.ts";
import { ethUsdTable } from "../events/ethUsd.ts";
import { tokensTable } from "../events/launched.ts";
import { type ReducedTrade, tradesTable } from "../events/poolSwap.ts";
import { type Batch, getRows } from "../reduce/batch.ts";
import { insertRows } from "./copyRows.ts";
import type { StoredCandle } from "./writeCandles.ts";

type OutboxRow = { block_number: number; kind: string; token: string | null; payload: object };

/** What writing a batch gave: its buckets as they are now, and the tokens whose 24 h window was computed. */
export type Written = { candles: readonly StoredCandle[]; refreshed: readonly string[] };

/** Tells what a batch near the head did: each launch, trade and candle, and the tokens that changed otherwise. */
export async function writeOutbox(
  client: Client,
  batch: Batch,
  toBlock: number,
  { candles, refreshed }: Written,
): Promise<void> {
  const [launches, trades] = [getRows(batch, tokensTable), getRows(batch, tradesTable)];
  // Not of all tokens of the index: they are many.
  const addresses = new Map([...batch.touched].map((token) => [token.id, token.address]));
  const rows: OutboxRow[] = [];
  for (const launch of launches) {
    const { contract_uri, search_text, salt, ...payload } = launch;
    rows.push({ block_number: launch.block_number, kind: "launch", token: launch.address, payload });
  }
  for (const trade of trades) {
    rows.push({ block_number: trade.block_number, kind: "trade", token: trade.token.address, payload: tradeOf(trade) });
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
    const payload = { price: ethUsd.price, block_number: ethUsd.block_number, block_time: ethUsd.block_time };
    rows.push({ block_number: ethUsd.block_number, kind: "eth_usd", token: null, payload });
  }
  if (rows.length === 0) return;
  await pipeline(client, [() => insertRows(client, "outbox", rows), () => notifyOutbox(client)]);
}

function tradeOf(trade: ReducedTrade): object {
  const { token, token_amount, quote_amount, ...rest } = trade;
  return {
    address: token.address,
    token_id: token.id,
    ...rest,
    token_amount: token_amount.toString(),
    quote_amount: quote_amount.toString(),
  };
}

/** Wakes the listeners when the transaction commits. */
export async function notifyOutbox(client: Client): Promise<void> {
  await runPrepared(client, `select pg_notify('${outboxChannel}', coalesce(max(id), 0)::text) from chain.outbox`);
}

/** Drops what is older than a day: whoever comes back with an older cursor starts from a snapshot. */
export async function pruneOutbox(db: Queryable): Promise<void> {
  await db.query("delete from chain.outbox where created_at < now() - interval '24 hours'");
}
