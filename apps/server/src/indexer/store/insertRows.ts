import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/runPrepared.ts";
import { toJson } from "./toJson.ts";

/** Inserts rows into a table of schema chain; the rows' keys are its columns. `suffix` is an ON CONFLICT clause. */
export async function insertRows(client: Client, table: string, rows: readonly object[], suffix = ""): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!).join(", ");
  await runPrepared(
    client,
    `insert into chain.${table} (${columns})
     select ${columns} from json_populate_recordset(null::chain.${table}, $1::json) ${suffix}`,
    [toJson(rows)],
  );
}
