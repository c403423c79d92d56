import type { FuzzTarget } from "./fuzzTarget.ts";

/** Between two turns of the event loop: when it ended (milliseconds since the epoch), and how long it took. */
export type Stall = { at: number; wallMs: number; cpuMs: number };
/** Since the last question: the delay that others saw, and the longest that the server itself was busy. */
export type Watched = { p99Ms: number; maxMs: number; maxCpuMs: number; stalls: Stall[] };

/** How long the server's event loop was held up since the last question; null where only its metrics are open. */
export async function readWatch({ watchUrl }: FuzzTarget): Promise<Watched | null> {
  if (watchUrl === null) return null;
  return (await (await fetch(watchUrl)).json()) as Watched;
}

/** What a stack that somebody else runs says of its event loop: wall time since its metrics were last asked for. */
export async function describeLoop({ siteUrl }: FuzzTarget): Promise<string> {
  const metrics = await (await fetch(`${siteUrl}/metrics`)).text();
  const milliseconds = (name: string) => {
    const found = new RegExp(`^nodejs_eventloop_lag_${name}_seconds ([\\d.e+-]+)$`, "m").exec(metrics)?.[1];
    return found === undefined ? "?" : (Number(found) * 1_000).toFixed(1);
  };
  return `p99 ${milliseconds("p99")} ms, max ${milliseconds("max")} ms`;
}
