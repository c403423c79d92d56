import { createServer } from "node:http";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Stall, Watched } from "../fuzz/watchServer.ts";

/**
 * The process reports the delays of its event loop at WATCH_PORT: each GET returns the delays since the last one. Wall time
 * is the delay of others; the thread's CPU time shows the part that the process itself caused, not a busy machine.
 */
const tickMs = 5;
const resolutionMs = 5;
/** Shorter delays are not listed. */
const listedFromMs = 20;

const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
let stalls: Stall[] = [];
let maxCpuMs = 0;
let last = { wall: performance.now(), cpu: threadCpuMs() };

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

setInterval(() => {
  const now = { wall: performance.now(), cpu: threadCpuMs() };
  const wallMs = now.wall - last.wall - tickMs;
  const cpuMs = now.cpu - last.cpu;
  last = now;
  maxCpuMs = Math.max(maxCpuMs, cpuMs);
  if (cpuMs >= listedFromMs) stalls.push({ at: Date.now(), wallMs, cpuMs });
}, tickMs).unref();

createServer((_request, response) => {
  const watched: Watched = {
    p99Ms: delay.percentile(99) / 1e6 - resolutionMs,
    maxMs: delay.max / 1e6 - resolutionMs,
    maxCpuMs,
    stalls,
  };
  delay.reset();
  stalls = [];
  maxCpuMs = 0;
  response.end(JSON.stringify(watched));
})
  .listen(Number(process.env.WATCH_PORT), "127.0.0.1")
  .unref();
