import { RpcError } from "../chain/rpcError.ts";
import type { Metrics } from "../metrics.ts";
import type { Comparison, PartialRange } from "./fetch/countLogs.ts";
import { compareEndpoints, countNextPart, createLaunchFilter, findVote, startPartialRange } from "./fetch/countLogs.ts";
import { readDigest } from "./fetch/digestLogs.ts";
import type { LogFilter } from "./fetch/fetchLogs.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { requestRebuild } from "./store/openIndex.ts";
import {
  confirmRange,
  countUnconfirmedRanges,
  readNextUnconfirmedRange,
  recordCheck,
  toEventsKey,
  type UnconfirmedRange,
} from "./store/unconfirmedRanges.ts";

/** Fraction of the request budget that the checks use. */
const budgetShare = 0.02;
/** Pause between checks while no endpoint answers, or with one endpoint only. */
const idleMs = 60_000;
/** Pause while no range needs a check. Ranges near the head become final all the time. */
const noRangeMs = 5_000;
/** Pause between checks while all endpoints are over budget. */
const overBudgetMs = 1_000;

/** Compares the logs of unconfirmed ranges with another endpoint, in parallel with indexing. */
export type RangeChecks = {
  /** Starts the next request if it is due and no request is pending. Returns immediately. */
  continue(context: IndexerContext): void;
  /** Whether logs are missing from the index and the caller must reopen it for a rebuild. Returns true once. */
  takeRebuild(): boolean;
  /** Aborts the pending check, and waits for its end. */
  stop(): Promise<void>;
};

/** The range under check, its progress, and the endpoint whose logs are compared. */
type Current = { range: UnconfirmedRange; part: PartialRange; endpoint: number };

/**
 * Creates the checks of one leader. They send one request at a time, and none while the endpoints are over budget.
 *
 * @param requestsPerSecond - The request budget of the endpoints.
 */
export function createRangeChecks(
  requestsPerSecond: number,
  metrics: Pick<Metrics, "logChecks" | "unconfirmedRanges">,
): RangeChecks {
  const stopping = new AbortController();
  let current: Current | null = null;
  let dueAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  let isRebuildRequested = false;
  /** The endpoint that failed last. The next check prefers another endpoint. */
  let failed: number | null = null;

  /** @returns The pause before the next check, in milliseconds. */
  const checkNext = async (context: IndexerContext): Promise<number> => {
    current ??= await selectRange(context, failed);
    if (current === null) return context.rpc.endpoints === 1 ? idleMs : noRangeMs;
    const { range, part, endpoint } = current;
    const { rpc, state, events } = context;
    const signal = AbortSignal.any([context.signal, stopping.signal]);
    const filter = createLaunchFilter(state, events.topics, range.to);
    // Fails immediately if the endpoint is over budget: indexing and API requests have priority.
    const calls = await countNextPart(rpc, part, filter, { endpoint, signal, budgetTimeoutMs: 0 });
    if (part.next > part.to) {
      const digest = readDigest(part.digest);
      if (part.logs !== range.logs) {
        const comparison = await compareEndpoints(rpc, range, filter, endpoint, signal);
        isRebuildRequested = await resolve(context, range, endpoint, part.logs, comparison);
      } else if (range.digest !== null && range.digest !== digest) {
        isRebuildRequested = await resolveContents(context, range, filter, { endpoint, digest }, signal);
      } else {
        await confirmRange(context.pool, range.from, context.fencingToken);
        metrics.logChecks.inc({ check: "count", outcome: "complete" });
      }
      current = null;
    }
    return Math.min(idleMs, (calls * 1000) / (requestsPerSecond * budgetShare));
  };

  const handleError = async (error: unknown, { log, pool, fencingToken }: IndexerContext): Promise<number> => {
    if (error instanceof RpcError && error.kind === "overBudget") return overBudgetMs;
    const last = current;
    const isStopping = stopping.signal.aborted;
    current = null;
    log[error instanceof RpcError || isStopping ? "debug" : "warn"]({ err: error }, "range check failed");
    if (last !== null && error instanceof RpcError) {
      failed = last.endpoint;
      // Moves the range to the end of the order, so that other ranges come first.
      await recordCheck(pool, last.range.from, fencingToken, false).catch(() => undefined);
    }
    return idleMs;
  };

  return {
    continue: (context) => {
      const now = context.clock.now();
      // The second condition is for a clock that was set back.
      const isDue = now >= dueAt || dueAt - now > idleMs;
      if (running !== null || isRebuildRequested || !isDue) return;
      running = checkNext(context)
        .catch((error: unknown) => handleError(error, context))
        .then((pauseMs) => {
          dueAt = now + pauseMs;
          running = null;
        });
    },
    takeRebuild: () => {
      const isRequested = isRebuildRequested;
      isRebuildRequested = false;
      return isRequested;
    },
    stop: async () => {
      stopping.abort();
      await running;
      // The next leader, possibly another process, reports the ranges.
      metrics.unconfirmedRanges.reset();
    },
  };
}

/**
 * Selects the next range, and an endpoint of another host to compare its logs, if possible not `failed`. Returns null
 * without such a range or endpoint.
 */
async function selectRange(context: IndexerContext, failed: number | null): Promise<Current | null> {
  const { pool, rpc, metrics } = context;
  const events = toEventsKey(context.events.topics);
  const counts = await countUnconfirmedRanges(pool, events);
  for (const [state, count] of Object.entries(counts)) metrics.unconfirmedRanges.set({ state }, count);
  if (rpc.endpoints === 1) return null;
  const range = await readNextUnconfirmedRange(pool, events);
  if (range === null) return null;
  const indexedBy = range.host.split(",");
  const others = rpc.listHealthy().filter((candidate) => !indexedBy.includes(rpc.host(candidate)));
  const endpoint = others.find((candidate) => candidate !== failed) ?? others[0];
  if (endpoint === undefined) return null;
  return { range, part: startPartialRange(range), endpoint };
}

/**
 * Handles a range for which another endpoint has a different number of logs. If two endpoints share more logs than the
 * index has, the index lacks logs: requests a rebuild. If the compared log count equals the indexed count, the index is
 * right. Otherwise logs an error and checks the range again later.
 *
 * @returns Whether the index must be rebuilt.
 */
async function resolve(
  context: IndexerContext,
  range: UnconfirmedRange,
  endpoint: number,
  counted: number,
  comparison: Comparison | null,
): Promise<boolean> {
  const { pool, rpc, metrics, log, fencingToken } = context;
  const hosts = [range.host, ...(comparison?.endpoints ?? [endpoint]).map((other) => rpc.host(other))];
  const fields = {
    from: range.from,
    to: range.to,
    indexed: range.logs,
    counted,
    agreed: comparison?.common ?? null,
    hosts: [...new Set(hosts)],
  };
  const record = (outcome: string) => metrics.logChecks.inc({ check: "count", outcome });
  if (comparison !== null && comparison.common > range.logs) {
    record("missing");
    await recordCheck(pool, range.from, fencingToken, true);
    const isRebuilt = await requestRebuild(pool, fencingToken);
    log.error({ ...fields, isRebuilt }, "logs of final blocks are missing from the index");
    return isRebuilt;
  }
  if (comparison?.logs === range.logs && (range.digest === null || comparison.digest === range.digest)) {
    record("endpoint_wrong");
    log.error({ ...fields, host: rpc.host(endpoint) }, "rpc endpoint has wrong logs of final blocks");
    await confirmRange(pool, range.from, fencingToken);
    return false;
  }
  record("different");
  log.error(fields, "rpc endpoints differ about logs of final blocks");
  await recordCheck(pool, range.from, fencingToken, true);
  return false;
}

/**
 * Handles a range for which another endpoint has as many logs, but with other contents. If a further endpoint has the
 * same logs as that endpoint, the index is wrong: requests a rebuild. If it has the same logs as the index, the index is
 * right. Otherwise logs an error and checks the range again later.
 *
 * @returns Whether the index must be rebuilt.
 */
async function resolveContents(
  context: IndexerContext,
  range: UnconfirmedRange,
  filter: LogFilter,
  check: { endpoint: number; digest: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { pool, rpc, metrics, log, fencingToken } = context;
  const vote = await findVote(rpc, range, filter, check, signal);
  const host = rpc.host(check.endpoint);
  const { from, to } = range;
  const fields = { from, to, indexedBy: range.host, hosts: vote ? [host, rpc.host(vote.endpoint)] : [host] };
  const record = (outcome: string) => metrics.logChecks.inc({ check: "count", outcome });
  if (vote?.agreesWith === "index") {
    record("endpoint_wrong");
    log.error({ ...fields, host }, "rpc endpoint has wrong logs of final blocks");
    await confirmRange(pool, from, fencingToken);
    return false;
  }
  await recordCheck(pool, from, fencingToken, true);
  if (vote === null) {
    record("different");
    log.error(fields, "rpc endpoints differ about the contents of logs of final blocks");
    return false;
  }
  record("wrong");
  // Otherwise the rebuild could read the newest blocks from the same endpoint again.
  const indexedBy = range.host.split(",");
  for (let endpoint = 0; endpoint < rpc.endpoints; endpoint++)
    if (indexedBy.includes(rpc.host(endpoint))) rpc.distrust(endpoint);
  const isRebuilt = await requestRebuild(pool, fencingToken);
  log.error({ ...fields, isRebuilt }, "logs of final blocks in the index are wrong");
  return isRebuilt;
}
