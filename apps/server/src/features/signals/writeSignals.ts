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
 * Starts the job that writes signals: it resolves open signals from new bars, recomputes the records if a signal was
 * resolved, and then emits the signals of newly closed hours, whose confidence uses the new records. Several processes
 * can run the job: a signal and its outcome are stored once.
 */
export function writeSignals(deps: Pick<Deps, "clock" | "db" | "log" | "metrics">): Job {
  const { db, clock, log } = deps;
  /** The state of each market when its open signals were last resolved. */
  const resolvedAt = new Map<number, string>();
  /** Whether the records may lack resolved signals; an earlier process may have left some. */
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
    // With the hour, because an hour of a pool can pass without a bar.
    const toState = ({ lastBarAt }: Market) => `${lastBarAt} ${Math.floor(now / hour)}`;
    const changed = markets.filter((market) => resolvedAt.get(market.id) !== toState(market));
    const resolved = await resolveSignals(db, changed, now, signal);
    if (resolved > 0) areRecordsOld = true;
    if (signal.aborted) return false;
    for (const market of changed) resolvedAt.set(market.id, toState(market));
    let records = await updateRecords(now, signal);
    const fresh = markets.filter(({ status }) => status === "fresh");
    const { live, history } = await emitSignals(db, fresh, now, signal).finally(() => {
      // History that was stored before a failure also has outcomes.
      areRecordsOld = true;
    });
    areRecordsOld = history > 0;
    records += await updateRecords(now, signal);
    if (resolved + live + history > 0) log.info({ live, history, resolved, records }, "signals written");
    return false;
  };
  return repeat(deps, { name: "signals", pauseMs, run });
}
