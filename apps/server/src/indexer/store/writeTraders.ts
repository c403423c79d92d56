import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { TraderRow } from "../reduce/rows.ts";
import { saveBeforeImages } from "./undoLog.ts";
import { toArrays } from "./copyRows.ts";

/** Notes when each maker last traded each token, and any token. */
export async function writeTraders(
  client: Client,
  traders: readonly TraderRow[],
  ids: ReadonlyMap<string, number>,
  journalId: number | null,
): Promise<void> {
  if (traders.length === 0) return;
  const rows = traders.map((row) => ({ ...row, account_id: ids.get(row.account)! }));
  await pipeline(client, [
    () => saveBeforeImages(client, journalId, "traders", rows),
    () =>
      runPrepared(
        client,
        `insert into chain.traders as traders (token_id, account_id, last_time)
         select * from unnest($1::int[], $2::int[], $3::bigint[])
         on conflict (token_id, account_id) do update set last_time = greatest(traders.last_time, excluded.last_time)`,
        toArrays(rows, ["token_id", "account_id", "last_time"]),
      ),
  ]);
}
