import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import type { Market } from "../../markets/market.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import { emitSignals } from "./emitSignals.ts";
import { resolveSignals } from "./resolveSignals.ts";
import { writeRecords } from "./writeRecords.ts";

const pauseMs = 5_000;
const hour = 3_600;

/**
 * Starts the job of signals: it resolves those whose bars have come, computes the records again where one was resolved,
 * and then says those of newly closed hours, so that their confidence contains what is known. Several processes can run
 * it: a signal and its end are stored once.
 */
export function writeSignals(deps: Pick<Deps, "clock" | "db" | "log">): Job {
  const { db, clock, log } = deps;
  /** What was known of each market when its open signals were last resolved. */
  const resolvedAt = new Map<number, string>();
  /** Whether signals may have ended that the records do not contain; an earlier process may have left some. */
  let areRecordsOld = true;

  const updateRecords = async (now: number, signal: AbortSignal) => {
    if (!areRecordsOld || signal.aborted) return 0;
    const records = await writeRecords(db, now);
    areRecordsOld = false;
    return records;
  };

  const run = async (signal: AbortSignal) => {
    const now = Math.floor(clock.now() / 1_000);
    const markets = await listMarkets(db.api, now);
    // In a pool an hour passes without a bar too.
    const toState = ({ lastBarAt }: Market) => `${lastBarAt} ${Math.floor(now / hour)}`;
    const changed = markets.filter((market) => resolvedAt.get(market.id) !== toState(market));
    const resolved = await resolveSignals(db, changed, now, signal);
    if (resolved > 0) areRecordsOld = true;
    if (signal.aborted) return false;
    for (const market of changed) resolvedAt.set(market.id, toState(market));
    let records = await updateRecords(now, signal);
    const fresh = markets.filter(({ status }) => status === "fresh");
    const { live, history } = await emitSignals(db, fresh, now, signal).finally(() => {
      // What was stored before a failure has ended too, if it is history.
      areRecordsOld = true;
    });
    areRecordsOld = history > 0;
    records += await updateRecords(now, signal);
    if (resolved + live + history > 0) log.info({ live, history, resolved, records }, "signals written");
    return false;
  };
  return repeat(deps, { name: "signals", pauseMs, run });
}
