import { RpcError } from "../chain/rpcError.ts";
import type { Metrics } from "../metrics.ts";
import type { Comparison, PartialRange } from "./fetch/countLogs.ts";
import { compareEndpoints, countNextPart, createLaunchFilter, startPartialRange } from "./fetch/countLogs.ts";
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

/** The part of the request budget that the checks use. */
const budgetShare = 0.02;
/** How long nothing is done while there is no range to check, or no endpoint answers. */
const idleMs = 60_000;
/** How long nothing is done while the request budget is used up. */
const overBudgetMs = 1_000;

/** Checks, beside indexing, ranges that one endpoint alone reported against the count of another. */
export type RangeChecks = {
  /** Sends the next request when one is due and none is under way. Returns immediately. */
  continue(context: IndexerContext): void;
  /** Whether logs are missing from the index, which must be opened again to be rebuilt. True once. */
  takeRebuild(): boolean;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
};

/** A range, how far another endpoint was asked for it, and that endpoint. */
type Current = { range: UnconfirmedRange; part: PartialRange; endpoint: number };

/**
 * Creates the checks of one leader. They send one request at a time, and none while the request budget is used up.
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
  /** The endpoint that failed last: another is asked next, where there is one. */
  let failed: number | null = null;

  /** @returns How long to do nothing, in milliseconds. */
  const checkNext = async (context: IndexerContext): Promise<number> => {
    current ??= await selectRange(context, failed);
    if (current === null) return idleMs;
    const { range, part, endpoint } = current;
    const { rpc, state, events } = context;
    const signal = AbortSignal.any([context.signal, stopping.signal]);
    const filter = createLaunchFilter(state, events.topics, range.to);
    // Fails while the budget is used up: indexing and requests come first.
    const calls = await countNextPart(rpc, part, filter, { endpoint, signal, budgetTimeoutMs: 0 });
    if (part.next > part.to) {
      if (part.logs === range.logs) {
        await confirmRange(context.pool, range.from, context.fencingToken);
        metrics.logChecks.inc({ check: "count", outcome: "complete" });
      } else {
        const comparison = await compareEndpoints(rpc, range, filter, endpoint, signal);
        isRebuildRequested = await resolve(context, range, endpoint, part.logs, comparison);
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
      // Others first.
      await recordCheck(pool, last.range.from, fencingToken, false).catch(() => undefined);
    }
    return idleMs;
  };

  return {
    continue: (context) => {
      const now = context.clock.now();
      // Also after the clock was set back.
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
      // The ranges are those of the next leader, which may be another process.
      metrics.unconfirmedRanges.reset();
    },
  };
}

/** The next range and the endpoint to ask: one at another host, if possible not `failed`. Null when there is none. */
async function selectRange(context: IndexerContext, failed: number | null): Promise<Current | null> {
  const { pool, rpc, metrics } = context;
  const events = toEventsKey(context.events.topics);
  const { unchecked, different } = await countUnconfirmedRanges(pool, events);
  metrics.unconfirmedRanges.set({ state: "unchecked" }, unchecked);
  metrics.unconfirmedRanges.set({ state: "different" }, different);
  if (unchecked + different === 0 || rpc.endpoints === 1) return null;
  const range = await readNextUnconfirmedRange(pool, events);
  if (range === null) return null;
  const others = rpc.listHealthy().filter((candidate) => rpc.host(candidate) !== range.host);
  const endpoint = others.find((candidate) => candidate !== failed) ?? others[0];
  if (endpoint === undefined) return null;
  return { range, part: startPartialRange(range), endpoint };
}

/**
 * Acts on a range of which another endpoint has another number of logs. The index lacks logs if two endpoints have more
 * than were indexed: then it is rebuilt. It is right if what two say together is what was indexed. Anything else is
 * reported, and checked again later.
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
  if (comparison?.logs === range.logs) {
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
