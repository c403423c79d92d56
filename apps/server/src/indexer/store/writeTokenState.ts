import type { Client } from "../../db/database.ts";
import type { TokenStateRow } from "../reduce/rows.ts";
import { keepImages } from "./journal.ts";
import { toJson } from "./toJson.ts";

/** Writes what changed of each touched token, and marks the windows of those that traded as due. */
export async function writeTokenState(
  client: Client,
  states: readonly TokenStateRow[],
  holders: ReadonlyMap<number, number>,
  journalId: number | null,
): Promise<void> {
  if (states.length === 0) return;
  const rows = states.map((state) => ({ ...state, holders: holders.get(state.token_id) ?? 0 }));
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
