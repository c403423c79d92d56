import type { Client } from "../../db/database.ts";
import type { Batch } from "../reduce/batch.ts";
import { keepImages } from "./journal.ts";
import { toJson } from "./toJson.ts";

/** Notes when each maker last traded each token, and any token (token_id 0). */
export async function writeTraders(
  client: Client,
  batch: Batch,
  ids: ReadonlyMap<string, number>,
  journalId: number | null,
): Promise<void> {
  const rows: { token_id: number; account_id: number; last_time: number }[] = [];
  const anyToken = new Map<string, number>();
  for (const token of batch.touched) {
    for (const [maker, time] of token.traders) {
      rows.push({ token_id: token.id, account_id: ids.get(maker)!, last_time: time });
      anyToken.set(maker, Math.max(time, anyToken.get(maker) ?? 0));
    }
  }
  for (const [maker, time] of anyToken) rows.push({ token_id: 0, account_id: ids.get(maker)!, last_time: time });
  if (rows.length === 0) return;
  if (journalId !== null) await keepImages(client, journalId, "traders", rows);
  await client.query(
    `insert into chain.traders as traders (token_id, account_id, last_time)
     select token_id, account_id, last_time from json_populate_recordset(null::chain.traders, $1::json)
     on conflict (token_id, account_id) do update set last_time = greatest(traders.last_time, excluded.last_time)`,
    [toJson(rows)],
  );
}
