import type { Clients, RequestRecord } from "./createClients.ts";
import { type Fault, leaderEvent, readEvents } from "./faults.ts";
import { until } from "./program.ts";
import type { DatabaseCluster } from "./startDatabase.ts";
import type { Load } from "./startLoad.ts";
import type { Service } from "./startService.ts";

/** The goals of a fault. */
export const goals = { leaderMs: 5_000, primaryMs: 20_000 };
/** How long a fault lasts at least, and how long the load continues after it has ended. */
const faultMs = 15_000;
const settleMs = 5_000;

export type Outcome = {
  fault: string;
  reads: number;
  /** Reads that failed although they began after the fault. */
  failedReads: RequestRecord[];
  /** Reads that were in progress at the fault and failed. */
  failedInFlight: number;
  failedWrites: RequestRecord[];
  longestWriteGapMs: number;
  longestStreamGapMs: number;
  /** Null: not replaced, or nothing to replace. */
  newLeaderMs: number | null;
  newPrimaryMs: number | null;
  contradictions: string[];
  missed: string[];
};

/** Injects a fault, waits until everything is restored, and measures what clients saw meanwhile. */
export async function measureFault(
  fault: Fault,
  {
    database,
    service,
    clients,
    load,
    signal,
  }: {
    database: DatabaseCluster;
    service: Service;
    clients: Clients;
    load: Load;
    signal: AbortSignal;
  },
): Promise<Outcome> {
  const before = await database.findPrimary();
  const startedAtClockMs = Date.now();
  const findNewLeader = () =>
    service.indexers
      .flatMap(({ program }) => readEvents(program.logPath, leaderEvent))
      .map(({ atMs }) => atMs - startedAtClockMs)
      .filter((ms) => ms >= 0)
      .sort((a, b) => a - b)[0] ?? null;
  const startedAtMs = clients.now();
  const restore = await fault.inject();
  const injectedAtMs = clients.now();

  let newPrimaryMs: number | null = null;
  const watchPrimary = async () => {
    if (!fault.replaces.primary) return;
    const isReplaced = async () => {
      const primary = await database.findPrimary();
      return primary !== null && primary !== before;
    };
    await until("a new primary", isReplaced, { timeoutMs: 90_000, signal });
    newPrimaryMs = clients.now() - startedAtMs;
  };
  const watchLeader = async () => {
    if (!fault.replaces.leader) return;
    await until("a new leading indexer", () => findNewLeader() !== null, { signal });
  };
  const problems: string[] = [];
  const note = (error: Error) => void problems.push(error.message);
  await Promise.all([watchPrimary().catch(note), watchLeader().catch(note)]);
  await until("the end of the fault", () => clients.now() - injectedAtMs > faultMs, { signal });
  await restore();
  await database.untilComplete(signal).catch(note);
  await service.untilReady(signal).catch(note);
  const restoredAtMs = clients.now();
  await until("the load has settled", () => clients.now() - restoredAtMs > settleMs, { signal });

  const endedAtMs = clients.now();
  const records = clients.records.filter(({ endedAtMs: at }) => at >= startedAtMs);
  const reads = records.filter(({ kind }) => kind === "read");
  const failed = reads.filter(({ status }) => status !== 200);
  const writes = records.filter(({ kind }) => kind === "write");
  const isAcknowledged = ({ status }: RequestRecord) => status >= 200 && status < 300;
  const acknowledgedAtMs = writes.filter(isAcknowledged).map(({ endedAtMs: at }) => at);
  const outcome: Outcome = {
    fault: fault.description,
    reads: reads.length,
    failedReads: failed.filter((record) => record.startedAtMs > injectedAtMs),
    failedInFlight: failed.filter((record) => record.startedAtMs <= injectedAtMs).length,
    failedWrites: writes.filter((record) => !isAcknowledged(record)),
    longestWriteGapMs: getLongestGap(acknowledgedAtMs, startedAtMs, endedAtMs),
    longestStreamGapMs: Math.max(
      ...load.streams.map(({ receivedAtMs }) => getLongestGap(receivedAtMs, startedAtMs, endedAtMs)),
    ),
    newLeaderMs: findNewLeader(),
    newPrimaryMs,
    contradictions: load.contradictions.filter(({ atMs }) => atMs >= startedAtMs).map(({ text }) => text),
    missed: problems,
  };
  outcome.missed.push(...listMissedGoals(fault, outcome));
  return outcome;
}

function listMissedGoals(fault: Fault, outcome: Outcome): string[] {
  const missed: string[] = [];
  if (outcome.failedReads.length > 0) {
    missed.push(`${outcome.failedReads.length} failed reads: ${describeFailures(outcome.failedReads)}`);
  }
  if (fault.replaces.leader && (outcome.newLeaderMs ?? Number.POSITIVE_INFINITY) > goals.leaderMs) {
    missed.push(`a new leader only after ${toSeconds(outcome.newLeaderMs)}`);
  }
  if (fault.replaces.primary && (outcome.newPrimaryMs ?? Number.POSITIVE_INFINITY) > goals.primaryMs) {
    missed.push(`a new primary only after ${toSeconds(outcome.newPrimaryMs)}`);
  }
  for (const text of new Set(outcome.contradictions)) missed.push(text);
  return missed;
}

/** Returns the different failures with their numbers. */
export function describeFailures(records: readonly RequestRecord[]): string {
  const counts = new Map<string, number>();
  for (const { detail } of records) {
    const text = detail.replaceAll(/0x\w+|nothing\d+/g, "…").trim();
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} × ${text}`).join("; ");
}

/** Returns the longest time without an event within a period. */
export function getLongestGap(timesMs: readonly number[], fromMs: number, untilMs: number): number {
  const within = timesMs.filter((at) => at >= fromMs && at <= untilMs);
  const ends = [...within, untilMs];
  return Math.max(...ends.map((at, index) => at - (index === 0 ? fromMs : ends[index - 1]!)));
}

export const toSeconds = (ms: number | null) => (ms === null ? "-" : `${(ms / 1_000).toFixed(1)} s`);
