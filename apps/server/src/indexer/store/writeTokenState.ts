import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { TokenStateRow } from "../reduce/rows.ts";
import { saveBeforeImages } from "./undoLog.ts";
import { toJson } from "./copyRows.ts";

/** Writes what changed of each touched token but its holders, and marks the windows of those that traded as due. */
export async function writeTokenState(
  client: Client,
  states: readonly TokenStateRow[],
  journalId: number | null,
): Promise<void> {
  if (states.length === 0) return;
  await pipeline(client, [
    () => saveBeforeImages(client, journalId, "token_state", states),
    () => upsertStates(client, states),
  ]);
}

async function upsertStates(client: Client, states: readonly TokenStateRow[]): Promise<void> {
  const columns = Object.keys(states[0]!);
  const kept = new Set(["token_id", "price_24h_ago", "oldest_minute"]);
  const updates = columns.filter((column) => !kept.has(column)).map((column) => `${column} = excluded.${column}`);
  await runPrepared(
    client,
    `insert into chain.token_state as s (${columns.join(", ")})
     select ${columns.join(", ")} from json_populate_recordset(null::chain.token_state, $1::json)
     on conflict (token_id) do update set ${updates.join(", ")},
       oldest_minute = coalesce(excluded.oldest_minute, s.oldest_minute)`,
    [toJson(states)],
  );
}
