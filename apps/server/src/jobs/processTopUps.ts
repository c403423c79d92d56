import { processPendingTransactions } from "../relayer/processPendingTransactions.ts";
import { deleteUnusedQuotes } from "../relayer/gasQuotes.ts";
import type { Deps } from "../deps.ts";
import { type Job, repeat } from "./repeat.ts";

/** Every so many turns what was mined of late is looked at again: a reorganisation may have undone it. */
const minedEveryTurns = 20;
/** Unused quotes are removed this often. */
const cleanEveryMs = 600_000;

/**
 * Looks after the relayer's transactions until stopped: sends what a crash kept back, replaces what is stuck, notes
 * what was mined. Does nothing without a relayer key or a gas station.
 */
export function processTopUps(deps: Deps): Job {
  const key = deps.relayerKey;
  let cleanedAt = Number.NEGATIVE_INFINITY;
  let turns = 0;

  const turn = async () => {
    const { manifest, pinned } = deps.chain.manifestState();
    if (key === null || !pinned || !manifest?.gas_station) return false;
    await processPendingTransactions(deps, key, manifest.chain_id, { mined: turns++ % minedEveryTurns === 0 });
    if (deps.clock.now() - cleanedAt < cleanEveryMs) return false;
    cleanedAt = deps.clock.now();
    await deleteUnusedQuotes(deps.db.api);
    return false;
  };

  if (key === null) return { stop: async () => undefined };
  return repeat(deps, { name: "top-ups", pauseMs: deps.config.RELAYER_POLL_MS, run: turn });
}
