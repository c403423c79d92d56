import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { storeRiskMarket } from "../tests/support/markets/riskBars.ts";
import { startLiveService } from "../tests/support/security/startLiveService.ts";
import { percentile } from "./percentile.ts";
import type { RiskArrivals, RiskClientsOrder } from "./riskStreamClients.ts";
import { startServerProcess } from "./serverProcess.ts";

/**
 * `npm run bench -- risk-stream`: many sockets of WS /ws/risk, half of them for three pairs, half for the grid. Server
 * and clients are separate processes. Jitter is the difference between each gap and 30 s, also for the first gap after
 * the handshake. `node bench/riskStream.ts [--sockets 10000] [--rounds 3]`.
 */
const { values } = parseArgs({
  options: { sockets: { type: "string", default: "10000" }, rounds: { type: "string", default: "3" } },
});
const sockets = Number(values.sockets);
const roundMs = 30_000;
const pairs = ["BTC_USDT", "ETH_USDT", "SOL_USDT"];
const paths = ["/ws/risk", ...pairs.map((pair) => `/ws/risk?pair=${pair}`)];

const service = await startLiveService();
for (const pair of pairs) await storeRiskMarket(service.db, pair);
const { key } = await service.createSubscriber();
const server = await startServerProcess({
  DATABASE_URL: service.databaseUrl,
  RPC_URL: "http://127.0.0.1:1",
  ROLES: "api,worker",
  MAX_CONNECTIONS: "100000",
  WS_RECHECK_MS: "600000",
});

async function readMetric(name: string): Promise<number> {
  const text = await (await fetch(`${server.siteUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}

async function startClients(path: string, count: number): Promise<ChildProcess> {
  const child = fork(new URL("./riskStreamClients.ts", import.meta.url), { serialization: "advanced" });
  const order: RiskClientsOrder = { port: Number(new URL(server.siteUrl).port), path, key, clients: count };
  child.send(order);
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error("the clients could not join"))),
  ]);
  return child;
}

process.stdout.write(
  `Risk to ${sockets} sockets; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n`,
);
const children: ChildProcess[] = [];
for (const [i, path] of paths.entries()) {
  const share = i === 0 ? sockets / 2 : sockets / 2 / pairs.length;
  children.push(await startClients(path, Math.round(share)));
}
// Waits until everything is computed.
await new Promise((resolve) => setTimeout(resolve, roundMs));
const readState = async () => ({
  framed: await readMetric("slipway_risk_framed_total"),
  sent: await readMetric("slipway_risk_messages_total"),
  cpuSeconds: await readMetric("process_cpu_seconds_total"),
});
const before = await readState();
await new Promise((resolve) => setTimeout(resolve, Number(values.rounds) * roundMs));
const after = await readState();
const framed = after.framed - before.framed;
const sent = after.sent - before.sent;
const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
const computed = await readMetric('slipway_risk_computed_total\\{outcome="stored"\\}');
const gaps: number[] = [];
let ownDelay = 0;
for (const child of children) {
  child.send("report");
  const [{ arrivals, ownDelayP99 }] = (await once(child, "message")) as [RiskArrivals];
  ownDelay = Math.max(ownDelay, ownDelayP99);
  for (const times of arrivals) gaps.push(...times.slice(1).map((at, i) => at - times[i]!));
  child.kill();
}
const jitter = gaps.map((gap) => Math.abs(gap - roundMs));
const p99 = percentile(jitter, 0.99);
process.stdout.write(
  `computations ${computed} of ${pairs.length} pairs; messages made ${framed}, sent ${sent}, ${(sent / 30 / Number(values.rounds)).toFixed(0)} a second\n` +
    `jitter p50 ${percentile(jitter, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${gaps.length} gaps (goal: 250 ms); ` +
    `shortest gap ${gaps.reduce((a, b) => Math.min(a, b), Infinity).toFixed(0)} ms, longest ${gaps.reduce((a, b) => Math.max(a, b), 0).toFixed(0)} ms\n` +
    `server: ${(cpuSeconds / Number(values.rounds)).toFixed(2)} s of CPU a round, ${((1e6 * cpuSeconds) / sent).toFixed(0)} us a message, ` +
    `pings and all; the clients' own delay p99 ${ownDelay.toFixed(0)} ms\n`,
);
await server.stop();
await service.close();
// A bar can close during the run, which causes one more computation and one more message of each pair.
process.exitCode = p99 <= 250 && computed <= 2 * pairs.length && framed <= 2 * paths.length ? 0 : 1;
