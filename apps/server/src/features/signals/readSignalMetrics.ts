import type { Deps } from "../../deps.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import { listNewestSignals } from "./queries.ts";

/** Maximum age of a fresh signal, in seconds since its bar closed. */
const freshSeconds = 2 * 3_600;

/**
 * Creates the reader of the newest published signals of pairs. The signals of a bar come later than its risk, and are
 * separate readings.
 */
export function createReadSignalMetrics({ clock, db }: Pick<Deps, "clock" | "db">) {
  return async (pairs: readonly string[]) => {
    const now = Math.floor(clock.now() / 1000);
    const wanted = new Set(pairs);
    const listed = (await listMarkets(db.api, now)).map(({ pair }) => pair).filter((pair) => wanted.has(pair));
    const signals = await listNewestSignals(db.api, listed);
    return signals.map(({ pair, closed_at: bar, directions }) => ({
      pair,
      bar,
      isFresh: now - bar <= freshSeconds,
      values: { signal: directions },
    }));
  };
}
