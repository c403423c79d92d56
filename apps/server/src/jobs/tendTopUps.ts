import { relayerOf } from "../chain/relayer/relayerOf.ts";
import { tendTransactions } from "../chain/relayer/tendTransactions.ts";
import { forgetUnusedQuotes } from "../db/gasQuotes.ts";
import type { Deps } from "../deps.ts";

/** Unused quotes are removed this often. */
const cleanEveryMs = 600_000;

/**
 * Looks after the relayer's transactions until stopped: sends what a crash kept back, replaces what is stuck, notes
 * what was mined. Does nothing without a relayer key or a gas station.
 */
export function startTopUps(deps: Deps): { stop(): Promise<void> } {
  const key = relayerOf(deps);
  const stopping = new AbortController();
  let cleanedAt = Number.NEGATIVE_INFINITY;

  const turn = async () => {
    const { manifest, pinned } = deps.chain.manifestState();
    if (key === null || !pinned || !manifest?.gas_station) return;
    await tendTransactions(deps, key, manifest.chain_id);
    if (deps.clock.now() - cleanedAt < cleanEveryMs) return;
    cleanedAt = deps.clock.now();
    await forgetUnusedQuotes(deps.db.api);
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      await turn().catch((error: unknown) => deps.log.warn({ err: error }, "the top-ups could not be looked after"));
      await deps.clock.sleep(deps.config.RELAYER_POLL_MS, stopping.signal).catch(() => undefined);
    }
  };
  const finished = key === null ? Promise.resolve() : run();

  return {
    stop: async () => {
      stopping.abort();
      await finished;
    },
  };
}
