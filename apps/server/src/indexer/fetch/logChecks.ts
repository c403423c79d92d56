import type { Logger } from "pino";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { Metrics } from "../../metrics.ts";
import { type Bloom, isEmptyOrFull } from "./bloom.ts";

/** Budget and results of the log checks of final blocks. */
export type LogChecks = {
  /** Adds a share of the calls of a backfill to the budget. */
  earn(calls: number): void;
  /** Takes up to this number of calls from the budget. @returns The number of calls. */
  take(calls: number): number;
  /** Takes calls for sample headers: up to half of the budget. The rest remains for reading complete logs. */
  takeSamples(blocks: number): number;
  /** Records that these endpoints omitted logs. */
  foundMissing(endpoints: readonly number[]): void;
  /** Whether all these endpoints have omitted logs. Their agreement then proves nothing. */
  leaveOutLogs(endpoints: readonly number[]): boolean;
  /** Whether the blooms of an endpoint's headers are usable, by the headers so far. */
  hasBlooms(endpoint: number): boolean;
  /** Records whether the bloom of an endpoint's header is usable. */
  observe(endpoint: number, bloom: Bloom, holdsLogs: boolean): void;
  /** Counts a check of a header's bloom. */
  record(outcome: "complete" | "missing" | "skipped"): void;
  /** Counts a comparison of two endpoints. */
  recordComparison(outcome: "complete" | "resolved" | "different"): void;
};

/** Checks cost at most one call in a hundred. */
const share = 0.01;
/** Initial budget, so that a short backfill is checked too; and maximum budget that a long backfill accumulates. */
const firstCalls = 64;
const maxCalls = 200;
/** Maximum sample headers of one range. */
const maxSamples = 20;
/** After this number of consecutive headers with unusable blooms, an endpoint counts as an endpoint without blooms. */
const headersWithoutBlooms = 3;

/** Creates the checks of one leader. The budget continues across backfills. */
export function createLogChecks(rpc: Pick<RpcPool, "host">, metrics: Metrics, log: Logger): LogChecks {
  let available = firstCalls;
  const incomplete = new Set<number>();
  /** Number of consecutive unusable blooms by endpoint. */
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
