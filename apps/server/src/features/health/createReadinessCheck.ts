import { createSharedResult } from "../../cache/createSharedResult.ts";
import { getStaleReason, type IndexStatus, readIndexStatus } from "../../cache/indexStatus.ts";
import { isWritable } from "../../db/isWritable.ts";
import type { Deps } from "../../deps.ts";
import type { StationSummary } from "../../relayer/stationStatus.ts";

/** The result of one check. `reason` never contains an error message, which could name a host or a user. */
export type Check = { ok: boolean; reason: string | null };

export type Readiness = {
  ready: boolean;
  checks: { process: Check; database: Check; writes: Check; chain: Check; index: Check; manifest: Check };
  database: { reads_from: "primary" | "replica"; replica_lag_ms: number | null };
  index: { indexed_block: number | null; head_block: number | null; lag_seconds: number | null };
  manifest: { sha256: string | null; pinned: boolean; verified: boolean; verified_at_block: number | null };
  /** Not part of readiness: recent trades and candles work without it. */
  history: { available: boolean; configured: boolean; reason: string | null };
  /** Not part of readiness: all other routes work without it. */
  gas_station: StationSummary;
};

/** Timeout of a check, so that a load balancer does not wait. */
const timeoutMs = 1_500;

const passed: Check = { ok: true, reason: null };
const failed = (reason: string): Check => ({ ok: false, reason });

/** Lifetime of a cached result: the route is public, and each check sends a request to the chain's endpoint. */
const cachedMs = 250;

/**
 * Creates a function that checks whether this process can serve all routes, and if not, which part cannot and why. All
 * callers share one run of the checks, and its result for a quarter of a second. Never throws.
 */
export function createReadinessCheck(deps: Deps): () => Promise<Readiness> {
  return createSharedResult({ compute: () => runChecks(deps), lifetimeMs: cachedMs, now: () => deps.clock.now() });
}

async function runChecks(deps: Deps): Promise<Readiness> {
  const [status, takesWrites, chain, history, station] = await Promise.all([
    withTimeout(deps, readIndexStatus(deps.db.newest)),
    withTimeout(deps, isWritable(deps.db.api)),
    withTimeout(deps, readChain(deps)),
    checkHistory(deps),
    deps.gasStation.summarize(),
  ]);
  const manifest = deps.chain.manifestState();
  const replica = deps.db.replica?.status();
  const checks = {
    process: deps.stopping.signal.aborted ? failed("The process is stopping.") : passed,
    database: status === null ? failed("The database does not answer.") : passed,
    writes: checkWrites(takesWrites),
    chain: checkChain(deps, chain),
    index: checkIndex(status),
    manifest: checkManifest(deps),
  };
  return {
    ready: Object.values(checks).every((check) => check.ok),
    checks,
    database: {
      reads_from: replica?.readsFrom ?? "primary",
      replica_lag_ms: replica === undefined || replica.lagMs === null ? null : Math.round(replica.lagMs),
    },
    index: {
      indexed_block: status?.indexedBlock ?? null,
      head_block: status?.headBlock ?? null,
      lag_seconds: status?.lagSeconds ?? null,
    },
    manifest: {
      sha256: manifest.sha256,
      pinned: manifest.manifest !== null,
      verified: manifest.verified,
      verified_at_block: manifest.verifiedAtBlock === null ? null : Number(manifest.verifiedAtBlock),
    },
    history,
    gas_station: station,
  };
}

async function checkHistory(deps: Deps): Promise<Readiness["history"]> {
  const { clickHouse } = deps;
  if (clickHouse === null) return { available: false, configured: false, reason: null };
  const answer = await withTimeout(deps, clickHouse.ping(timeoutMs));
  const reason = answer === null ? "The history engine does not answer." : null;
  return { available: reason === null, configured: true, reason };
}

function checkWrites(takesWrites: boolean | null): Check {
  if (takesWrites === null) return failed("The primary database does not answer.");
  return takesWrites ? passed : failed("The primary database is read-only.");
}

/** Reads the chain id and the newest block in one round trip, because a gateway can return the id without its node. */
async function readChain({ chain }: Deps): Promise<{ chainId: unknown }> {
  const [chainId] = await Promise.all([
    chain.request({ method: "eth_chainId" }),
    chain.request({ method: "eth_blockNumber" }),
  ]);
  return { chainId };
}

function checkChain({ chain, config }: Deps, answer: { chainId: unknown } | null): Check {
  if (answer === null) return failed("The chain's endpoint does not answer.");
  const wanted = chain.manifestState().manifest?.chain_id ?? config.CHAIN_ID;
  const served = typeof answer.chainId === "string" ? Number(answer.chainId) : Number.NaN;
  if (!Number.isSafeInteger(served)) return failed("The chain's endpoint returns malformed responses.");
  if (wanted === undefined || served === wanted) return passed;
  return failed(`The chain's endpoint serves chain ${served}, not ${wanted}.`);
}

function checkIndex(status: IndexStatus | null): Check {
  if (status === null) return failed("The database does not answer.");
  const reason = getStaleReason(status);
  return reason === null ? passed : failed(reason);
}

function checkManifest(deps: Deps): Check {
  const { manifest, verified } = deps.chain.manifestState();
  if (manifest === null) return failed("No manifest is configured.");
  if (!verified) return failed("The chain is not proven against the manifest.");
  return passed;
}

/** Returns the result, or null if the check fails or times out. */
async function withTimeout<T>(deps: Deps, result: Promise<T>): Promise<T | null> {
  const done = new AbortController();
  try {
    return await Promise.race([
      result,
      deps.clock.sleep(timeoutMs, done.signal).then(
        () => null,
        () => null,
      ),
    ]);
  } catch (error) {
    deps.log.debug({ err: error }, "readiness check failed");
    return null;
  } finally {
    done.abort();
  }
}
