import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";
import { toJson } from "./copyRows.ts";

/**
 * Tables of derived state with mutable rows, and their keys. An undo restores them from the before images that each
 * batch of the reorg window saves in chain.undo. Tables of events only grow: see events/eventTable.ts.
 */
export const mutableTables = {
  token_state: ["token_id"],
  candles: ["token_id", "seconds", "t"],
  traders: ["token_id", "account_id"],
  balances: ["token_id", "account_id"],
  first_buyers: ["token_id", "account_id"],
  first_buys: ["token_id"],
  totals: ["seconds", "t"],
} as const;

export type MutableTable = keyof typeof mutableTables;

/**
 * Saves the current rows with these keys, unless the batch has already saved them. Does nothing for a batch of final
 * blocks (id null), which is never undone.
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

/** Restores the rows of a table to their state before all batches above `batchId`. */
export async function restoreBeforeImages(client: Client, batchId: number, table: MutableTable): Promise<void> {
  const key = mutableTables[table];
  const matches = key.map((column) => `r.${column} = k.${column}`).join(" and ");
  // The oldest image of each row is its state before those batches.
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
