import type { Logger } from "pino";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { Metrics } from "../../metrics.ts";
import { type Bloom, isEmptyOrFull } from "./bloom.ts";

/** Budget and results of the log checks of final blocks. */
export type LogChecks = {
  /** Adds to the budget the share of calls that were made anyway. */
  earn(calls: number): void;
  /** Takes up to this many calls from the budget. @returns How many. */
  take(calls: number): number;
  /** Takes calls for headers that are read only for the checks: up to half of the budget, whose rest confirms. */
  takeSamples(blocks: number): number;
  /** Records that these endpoints left out logs. */
  foundMissing(endpoints: readonly number[]): void;
  /** Whether all of these endpoints are known to leave out logs: what they agree on proves nothing. */
  leaveOutLogs(endpoints: readonly number[]): boolean;
  /** Whether the blooms of an endpoint's headers can be used, as far as is known. */
  hasBlooms(endpoint: number): boolean;
  /** Learns from a header's bloom whether an endpoint has blooms. */
  observe(endpoint: number, bloom: Bloom, holdsLogs: boolean): void;
  /** Counts a check of a header's bloom. */
  record(outcome: "complete" | "missing" | "skipped"): void;
  /** Counts a comparison of two endpoints. */
  recordComparison(outcome: "complete" | "resolved"): void;
};

/** Checks cost at most one call in a hundred. */
const share = 0.01;
/** A first credit, so that a short backfill is checked too; and a bound of what a long one saves up. */
const firstCalls = 64;
const maxCalls = 200;
/** Headers with which one range is sampled at most. */
const maxSamples = 20;
/** Headers with an unusable bloom in a row from which on an endpoint counts as one without blooms. */
const headersWithoutBlooms = 3;

/** Creates the checks of one leader: their budget outlasts a backfill. */
export function createLogChecks(rpc: Pick<RpcPool, "host">, metrics: Metrics, log: Logger): LogChecks {
  let available = firstCalls;
  const incomplete = new Set<number>();
  /** Unusable blooms in a row, by endpoint. */
  const unusable = new Map<number, number>();
  const reported = new Set<number>();
  const hasBlooms = (endpoint: number) => (unusable.get(endpoint) ?? 0) < headersWithoutBlooms;
  const take = (calls: number) => {
    const taken = Math.min(calls, Math.floor(available));
    available -= taken;
    return taken;
  };
  return {
    earn: (calls) => {
      available = Math.min(maxCalls, available + calls * share);
    },
    take,
    takeSamples: (blocks) => take(Math.min(blocks, maxSamples, Math.floor(available / 2))),
    foundMissing: (endpoints) => {
      for (const endpoint of endpoints) incomplete.add(endpoint);
    },
    leaveOutLogs: (endpoints) => endpoints.every((endpoint) => incomplete.has(endpoint)),
    hasBlooms,
    observe: (endpoint, bloom, holdsLogs) => {
      const isUnusable = isEmptyOrFull(bloom);
      // An empty bloom is right for a block without logs.
      if (isUnusable && !holdsLogs && bloom[0] === 0) return;
      unusable.set(endpoint, isUnusable ? (unusable.get(endpoint) ?? 0) + 1 : 0);
      metrics.rpcWithoutBlooms.set({ endpoint: String(endpoint) }, hasBlooms(endpoint) ? 0 : 1);
      if (hasBlooms(endpoint) || reported.has(endpoint)) return;
      reported.add(endpoint);
      log.warn({ host: rpc.host(endpoint) }, "rpc endpoint has no blooms");
    },
    record: (outcome) => metrics.logChecks.inc({ check: "bloom", outcome }),
    recordComparison: (outcome) => metrics.logChecks.inc({ check: "endpoints", outcome }),
  };
}
