import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import { sumTotals, type Batch } from "../reduce/batch.ts";
import { saveBeforeImages } from "./undoLog.ts";
import { toJson } from "./copyRows.ts";

/** Adds a batch's sums to those of its minutes and of all time. */
export async function writeTotals(client: Client, batch: Batch, journalId: number | null): Promise<void> {
  if (batch.totals.size === 0) return;
  const allTime = sumTotals(batch);
  const rows = [...batch.totals.values(), allTime];
  const sums = Object.keys(allTime).filter((column) => column !== "seconds" && column !== "t");
  await pipeline(client, [
    () => saveBeforeImages(client, journalId, "totals", rows),
    () =>
      runPrepared(
        client,
        `insert into chain.totals as totals (seconds, t, ${sums.join(", ")})
         select seconds, t, ${sums.join(", ")} from json_populate_recordset(null::chain.totals, $1::json)
         on conflict (seconds, t) do update
         set ${sums.map((sum) => `${sum} = totals.${sum} + excluded.${sum}`).join(", ")}`,
        [toJson(rows)],
      ),
  ]);
}
