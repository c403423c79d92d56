import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { deleteUnusedQuotes } from "../../relayer/gasQuotes.ts";
import { processPendingTransactions } from "../../relayer/processPendingTransactions.ts";
import { eraseClientAddresses } from "../../relayer/relayerTransactions.ts";

/** Mined transactions are checked for a reorganisation in every run of this multiple. */
const minedCheckInterval = 20;
const cleanupIntervalMs = 600_000;

/**
 * Starts the job that advances the relayer's transactions: sends unsent ones, replaces stuck ones, records mined ones,
 * deletes unused quotes, and erases network addresses that no budget needs. Does nothing without a relayer key. Payments are
 * transactions of the relayer too, also without a gas station.
 */
export function processTopUps(deps: Deps): Job {
  const key = deps.relayerKey;
  let cleanedUpAt = Number.NEGATIVE_INFINITY;
  let runs = 0;

  const run = async () => {
    const { manifest } = deps.chain.manifestState();
    if (key === null || manifest === null) return false;
    await processPendingTransactions(deps, key, manifest.chain_id, { mined: runs++ % minedCheckInterval === 0 });
    if (deps.clock.now() - cleanedUpAt < cleanupIntervalMs) return false;
    cleanedUpAt = deps.clock.now();
    await deleteUnusedQuotes(deps.db.api);
    await eraseClientAddresses(deps.db.api);
    return false;
  };

  if (key === null) return { stop: async () => undefined };
  return repeat(deps, { name: "top-ups", pauseMs: deps.config.RELAYER_POLL_MS, run });
}
