import { refundCredits } from "../../accounts/credits.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { deleteOldRuns, failLostRuns } from "./queries.ts";

const pauseMs = 10_000;
const batchSize = 100;

/**
 * Starts the job that refunds forecasts whose process ended between the charge and the response, a minute after their
 * start, and deletes expired responses. Several processes can share the work.
 */
export function refundLostForecasts(deps: Pick<Deps, "clock" | "db" | "log" | "metrics">): Job {
  const run = async () => {
    const lost = await withTransaction(deps.db.api, async (client) => {
      const runs = await failLostRuns(client, batchSize);
      for (const { account_id: accountId, request_id: requestId } of runs) {
        await refundCredits(client, accountId, requestId);
      }
      return runs;
    });
    if (lost.length > 0) {
      deps.metrics.forecasts.inc({ outcome: "lost" }, lost.length);
      deps.log.info({ forecasts: lost.length }, "lost forecasts refunded");
    }
    const deleted = await deleteOldRuns(deps.db.api, batchSize);
    return lost.length === batchSize || deleted === batchSize;
  };
  return repeat(deps, { name: "lost forecasts", pauseMs, run });
}
