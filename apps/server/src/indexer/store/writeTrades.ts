import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";
import type { TradeRow } from "../reduce/rows.ts";
import { copyRows, copyValue, toArrays } from "./copyRows.ts";

const columnNames = [
  ...(["token_id", "log_index", "block_number", "block_time", "pool_price", "eth_usd", "maker_id"] as const),
  ...(["recipient_id", "is_buy", "tx_hash", "token_amount", "quote_amount"] as const),
];
const columns = columnNames.join(", ");

/** Appends a batch's trades: by COPY, several times as fast, where the connection can. */
export async function writeTrades(
  client: Client,
  trades: readonly TradeRow[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  if (trades.length === 0) return;
  if (!client.pipeline) {
    await copyRows(client, "trades", columns, lines(trades, ids));
    return;
  }
  await runPrepared(
    client,
    `insert into chain.trades (${columns})
     select token_id, log_index, block_number, block_time, pool_price, eth_usd, maker_id, recipient_id, is_buy,
       decode(tx_hash, 'hex'), token_amount, quote_amount
     from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[], $7::int[], $8::int[],
       $9::boolean[], $10::text[], $11::numeric[], $12::numeric[]) as rows(${columns})`,
    toArrays(
      trades.map((trade) => toRow(trade, ids)),
      columnNames,
    ),
  );
}

function* lines(trades: readonly TradeRow[], ids: ReadonlyMap<string, number>): Generator<string> {
  for (const t of trades) {
    yield `${t.token.id}\t${t.log_index}\t${t.block_number}\t${t.block_time}\t${t.pool_price}\t${copyValue(t.eth_usd)}\t` +
      `${ids.get(t.maker)}\t${ids.get(t.recipient)}\t${t.is_buy ? "t" : "f"}\t\\\\x${t.tx_hash.slice(2)}\t` +
      `${t.token_amount}\t${t.quote_amount}\n`;
  }
}

function toRow(trade: TradeRow, ids: ReadonlyMap<string, number>) {
  const { token, maker, recipient, tx_hash, ...row } = trade;
  return {
    token_id: token.id,
    ...row,
    maker_id: ids.get(maker)!,
    recipient_id: ids.get(recipient)!,
    tx_hash: tx_hash.slice(2),
  };
}
