import type { Client } from "../../db/database.ts";
import type { TradeRow } from "../reduce/rows.ts";
import { copyRows, copyValue } from "./copyRows.ts";
import { insertRows } from "./insertRows.ts";

const columns =
  "token_id, log_index, block_number, block_time, pool_price, eth_usd, maker_id, recipient_id, is_buy, tx_hash, " +
  "token_amount, quote_amount";

/** From so many rows on, COPY costs less than a statement. */
const copyFrom = 50;

/** Appends a batch's trades. */
export async function writeTrades(
  client: Client,
  trades: readonly TradeRow[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  if (trades.length >= copyFrom) await copyRows(client, "trades", columns, lines(trades, ids));
  else
    await insertRows(
      client,
      "trades",
      trades.map((trade) => toRow(trade, ids)),
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
    tx_hash: `\\x${tx_hash.slice(2)}`,
  };
}
