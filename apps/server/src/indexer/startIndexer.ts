import type { Manifest } from "@slipway/protocol/manifest";
import { createHeadPolling, createHeadSubscription } from "../chain/headSignal.ts";
import type { Runtime } from "../runtime.ts";
import { allEvents } from "./events/allEvents.ts";
import { createEventCatalog, type EventModule } from "./events/eventModule.ts";
import { lead } from "./lead.ts";
import { toSources } from "./sources.ts";
import type { IndexerStatus } from "./statusPublisher.ts";
import { type Leadership, tryLead } from "./store/leadership.ts";

export type Indexer = {
  /** Stops after the current write; resolves when the indexer has stopped. */
  stop(): Promise<void>;
  status(): IndexerStatus;
};

/** Interval at which a standby indexer tries to become the leader. */
const standbyMs = 1_000;

/**
 * Starts indexing the manifest's launches into the database. One process leads; the others are on standby, and one
 * takes over when the leader's database connection ends. Returns immediately.
 *
 * @param modules - The contract events to index.
 */
export function startIndexer(
  runtime: Runtime,
  manifest: Manifest,
  modules: readonly EventModule[] = allEvents,
): Indexer {
  const sources = toSources(manifest);
  const events = createEventCatalog(modules);
  const stopping = new AbortController();
  const status: IndexerStatus = {
    state: "starting",
    indexedBlock: null,
    headBlock: null,
    lagSeconds: null,
    reason: null,
  };
  const wsUrl = runtime.config.RPC_WS_URL[0];
  const heads = wsUrl
    ? createHeadSubscription(wsUrl, runtime.clock, runtime.config.POLL_INTERVAL_MS, runtime.log)
    : createHeadPolling(runtime.clock, runtime.config.POLL_INTERVAL_MS);

  const setLeader = (leads: boolean) => runtime.metrics.indexerLeader.set({ role: "indexer" }, leads ? 1 : 0);
  const run = async () => {
    while (!stopping.signal.aborted) {
      let leadership: Leadership | null = null;
      try {
        leadership = await tryLead(runtime.db.indexer, runtime.log);
        setLeader(leadership !== null);
        if (leadership) {
          status.state = "starting";
          await lead(runtime, sources, events, status, heads, AbortSignal.any([stopping.signal, leadership.lost]));
        } else {
          Object.assign(status, { state: "standby", reason: "another indexer leads" });
        }
      } catch (error) {
        if (!stopping.signal.aborted) runtime.log.warn({ err: error }, "indexer leadership failed");
        status.reason = (error as Error).message;
      } finally {
        setLeader(false);
        await leadership?.release();
      }
      await runtime.clock.sleep(standbyMs, stopping.signal).catch(() => undefined);
    }
  };
  const finished = run();

  return {
    stop: async () => {
      stopping.abort();
      heads.close();
      await finished;
    },
    status: () => ({ ...status }),
  };
}
