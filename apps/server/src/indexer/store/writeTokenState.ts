import type { Client } from "../../db/database.ts";
import type { Batch } from "../reduce/batch.ts";
import type { TokenRef } from "../world.ts";
import { keepImages } from "./journal.ts";
import { toJson } from "./toJson.ts";

/** Writes what changed of each touched token, and marks the windows of those that traded as due. */
export async function writeTokenState(
  client: Client,
  batch: Batch,
  holders: ReadonlyMap<number, number>,
  journalId: number | null,
): Promise<void> {
  const rows = [...batch.touched].map((token) => toRow(token, holders.get(token.id) ?? 0));
  if (rows.length === 0) return;
  if (journalId !== null) await keepImages(client, journalId, "token_state", rows);
  const columns = Object.keys(rows[0]!);
  const kept = new Set(["token_id", "price_24h_ago", "holders", "oldest_minute"]);
  const updates = columns.filter((column) => !kept.has(column)).map((column) => `${column} = excluded.${column}`);
  await client.query(
    `insert into chain.token_state as s (${columns.join(", ")})
     select ${columns.join(", ")} from json_populate_recordset(null::chain.token_state, $1::json)
     on conflict (token_id) do update set ${updates.join(", ")},
       holders = s.holders + excluded.holders,
       oldest_minute = coalesce(excluded.oldest_minute, s.oldest_minute)`,
    [toJson(rows)],
  );
}

function toRow(token: TokenRef, holders: number) {
  return {
    token_id: token.id,
    sqrt_price_x96: token.sqrtPriceX96,
    tick: token.tick,
    liquidity: token.liquidity,
    pool_protocol_fee: token.poolProtocolFee,
    price: token.lastClose,
    total_supply: token.totalSupply,
    burned: token.burned,
    holders,
    trades: token.trades,
    buys: token.buys,
    volume_quote: token.volumeQuote,
    volume_usd: token.volumeUsd,
    last_trade_time: token.lastTradeTime,
    market_cap: (token.lastClose * Number(token.totalSupply - token.burned)) / 1e18,
    price_24h_ago: token.startPrice,
    oldest_minute: token.traders.size > 0 ? 0 : null,
    changed_block: token.changedBlock,
    changed_time: token.changedTime,
  };
}
