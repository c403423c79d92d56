import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";
import { toJson } from "./copyRows.ts";

/** Tables whose rows change, and their keys: undone from images taken before each batch of the reorg window. */
export const mutableTables = {
  token_state: ["token_id"],
  candles: ["token_id", "seconds", "t"],
  traders: ["token_id", "account_id"],
  balances: ["token_id", "account_id"],
  totals: ["seconds", "t"],
} as const;

export type MutableTable = keyof typeof mutableTables;

/** Tables that only grow: undone by deleting what is above a block. */
export const factTables = [
  "tokens",
  "trades",
  "fee_events",
  "treasury_changes",
  "splitters",
  "splitter_payees",
  "splitter_events",
  "topups",
  "eth_usd",
  "headers",
] as const;

/**
 * Keeps the rows with these keys as they are now, unless the batch has kept them already. A batch of final blocks, whose
 * id is null, is never undone and keeps nothing.
 */
export async function saveBeforeImages(
  client: Client,
  batchId: number | null,
  table: MutableTable,
  rows: readonly object[],
): Promise<void> {
  if (batchId === null || rows.length === 0) return;
  const key = mutableTables[table];
  const pairs = key.map((column) => `'${column}', k.${column}`).join(", ");
  await runPrepared(
    client,
    `insert into chain.undo (batch_id, relation, key, before)
     select $1, '${table}', jsonb_build_object(${pairs}), to_jsonb(r)
     from (select distinct ${key.join(", ")} from json_populate_recordset(null::chain.${table}, $2::json)) k
     left join chain.${table} r using (${key.join(", ")})
     on conflict do nothing`,
    [batchId, toJson(rows)],
  );
}

/** Puts a table back to how it was before the batches above `batchId`. */
export async function restoreBeforeImages(client: Client, batchId: number, table: MutableTable): Promise<void> {
  const key = mutableTables[table];
  const matches = key.map((column) => `r.${column} = k.${column}`).join(" and ");
  // The oldest image of each row is the one from before.
  const oldest = `select distinct on (key) key, before from chain.undo
    where batch_id > $1 and relation = '${table}' order by key, batch_id`;
  await client.query(
    `delete from chain.${table} r
     using (select (jsonb_populate_record(null::chain.${table}, key)).* from (${oldest}) o) k where ${matches}`,
    [batchId],
  );
  await client.query(
    `insert into chain.${table}
     select (jsonb_populate_record(null::chain.${table}, before)).* from (${oldest}) o where before is not null`,
    [batchId],
  );
}
