import type { StationSummary } from "../../relayer/stationStatus.ts";
import { type IndexStatus, readIndexStatus, getStaleReason } from "../../cache/indexStatus.ts";
import type { Deps } from "../../deps.ts";

/** Why something is not ready is said without the text of an error, which could name a host or a user. */
export type Check = { ok: boolean; reason: string | null };

export type Readiness = {
  ready: boolean;
  checks: { database: Check; chain: Check; index: Check; manifest: Check };
  index: { indexed_block: number | null; head_block: number | null; lag_seconds: number | null };
  manifest: { sha256: string | null; pinned: boolean; verified: boolean; verified_at_block: number | null };
  /** Not a part of readiness: without it everything else is served. */
  gas_station: StationSummary;
};

/** A balancer asks often and must not wait: what takes longer counts as not answering. */
const patienceMs = 1_500;

const good: Check = { ok: true, reason: null };
const bad = (reason: string): Check => ({ ok: false, reason });

/** How long a look counts: anybody may ask, as often as they like, and each look costs the chain's endpoint a call. */
const rememberedMs = 250;

const remembered = new WeakMap<Deps, { at: number; readiness: Promise<Readiness> }>();

/**
 * Whether this process can serve everything, and if not, which part cannot and why. Remembered for a quarter of a
 * second. Never throws.
 */
export function readiness(deps: Deps): Promise<Readiness> {
  const now = deps.clock.now();
  const known = remembered.get(deps);
  if (known !== undefined && Math.abs(now - known.at) < rememberedMs) return known.readiness;
  const looked = look(deps);
  remembered.set(deps, { at: now, readiness: looked });
  return looked;
}

async function look(deps: Deps): Promise<Readiness> {
  const [status, chain, station] = await Promise.all([
    within(deps, readIndexStatus(deps.db.read)),
    within(deps, deps.chain.request({ method: "eth_blockNumber" })),
    deps.gasStation.summarize(),
  ]);
  const manifest = deps.chain.manifestState();
  const checks = {
    database: status === null ? bad("The database does not answer.") : good,
    chain: chain === null ? bad("The chain's endpoint does not answer.") : good,
    index: indexCheck(status),
    manifest: manifestCheck(deps),
  };
  return {
    ready: Object.values(checks).every((check) => check.ok),
    checks,
    index: {
      indexed_block: status?.indexedBlock ?? null,
      head_block: status?.headBlock ?? null,
      lag_seconds: status?.lagSeconds ?? null,
    },
    manifest: {
      sha256: manifest.sha256,
      pinned: manifest.pinned,
      verified: manifest.verified,
      verified_at_block: manifest.verifiedAtBlock === null ? null : Number(manifest.verifiedAtBlock),
    },
    gas_station: station,
  };
}

function indexCheck(status: IndexStatus | null): Check {
  if (status === null) return bad("The database does not answer.");
  const reason = getStaleReason(status);
  return reason === null ? good : bad(reason);
}

function manifestCheck(deps: Deps): Check {
  const { manifest, pinned, verified } = deps.chain.manifestState();
  if (manifest === null) return bad("No manifest is configured.");
  if (!pinned) return bad("The manifest is not the one that is pinned.");
  if (!verified) return bad("The chain is not proven against the manifest.");
  return good;
}

/** The answer, or null when it fails or takes too long. */
async function within<T>(deps: Deps, answer: Promise<T>): Promise<T | null> {
  const done = new AbortController();
  try {
    return await Promise.race([
      answer,
      deps.clock.sleep(patienceMs, done.signal).then(
        () => null,
        () => null,
      ),
    ]);
  } catch (error) {
    deps.log.debug({ err: error }, "a readiness check failed");
    return null;
  } finally {
    done.abort();
  }
}
