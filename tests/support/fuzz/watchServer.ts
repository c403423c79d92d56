import type { FuzzTarget } from "./fuzzTarget.ts";

/** The time between two turns of the event loop: its end (milliseconds since the epoch), and its length. */
export type Stall = { at: number; wallMs: number; cpuMs: number };
/** Since the last query: the delay of others, and the longest CPU time of the server itself. */
export type Watched = { p99Ms: number; maxMs: number; maxCpuMs: number; stalls: Stall[] };

/** Reads the delays of the server's event loop since the last query; null if only its metrics are available. */
export async function readWatch({ watchUrl }: FuzzTarget): Promise<Watched | null> {
  if (watchUrl === null) return null;
  return (await (await fetch(watchUrl)).json()) as Watched;
}

/** Describes the event loop of an external stack: wall time since its metrics were last read. */
export async function describeLoop({ siteUrl }: FuzzTarget): Promise<string> {
  const metrics = await (await fetch(`${siteUrl}/metrics`)).text();
  const milliseconds = (name: string) => {
    const found = new RegExp(`^nodejs_eventloop_lag_${name}_seconds ([\\d.e+-]+)$`, "m").exec(metrics)?.[1];
    return found === undefined ? "?" : (Number(found) * 1_000).toFixed(1);
  };
  return `p99 ${milliseconds("p99")} ms, max ${milliseconds("max")} ms`;
}
