import { readdirSync, readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { deployLocal } from "@slipway/deploy/deployLocal";
import { startChain } from "@slipway/dev/chain/startChain";
import { getWallet, getWallets } from "@slipway/dev/chain/wallets";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { prepareDatabase } from "@slipway/server/db/migrate";
import { createLog } from "@slipway/server/log";
import { launchToken } from "../tests/support/security/actors.ts";
import { createSubscriber } from "../tests/support/security/createSubscriber.ts";
import type { TestStack } from "../tests/support/security/startTestStack.ts";
import { startTrader } from "./drill/failures/startTrader.ts";
import { percentile } from "./percentile.ts";
import { startServerProcess } from "./serverProcess.ts";

/**
 * `npm run bench -- processes`: the CPU time of one and of two API processes on one host: idle, and for each cached and
 * uncached request at a fixed rate, while about three trades a second invalidate responses. The second process is stopped
 * (SIGSTOP) while one is measured, in turns. A ratio is the median of the ratios of the rounds.
 * `node bench/processes.ts [--rounds 6] [--seconds 8]`.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "6" }, seconds: { type: "string", default: "8" } },
});
const seconds = Number(values.seconds);
const rates = { cached: 480, uncached: 60 };
type Kind = keyof typeof rates;

const folder = temporaryFolder();
const [chain, postgres] = await Promise.all([
  startChain({ dir: folder.path, durable: false, heartbeatMs: 1_000 }),
  startPostgres({ dir: folder.path }),
]);
const deployed = await deployLocal({
  rpcUrl: chain.rpcUrl,
  deployer: getWallet("deployer").account,
  treasury: getWallet("treasury").address,
  owner: getWallet("treasury").address,
  relayer: getWallet("relayer").address,
  manifestPath: join(folder.path, "manifest.json"),
});
const settings = {
  DATABASE_URL: postgres.url,
  RPC_URL: chain.rpcUrl,
  RPC_WS_URL: chain.wsUrl,
  MANIFEST_PATH: deployed.path,
  MANIFEST_SHA256: deployed.sha256,
};
const config = parseConfig(settings);
const log = createLog({ ...config, LOG_LEVEL: "silent" });
await prepareDatabase(config, log);
const db = openDatabase(config, log);
const { key } = await createSubscriber(db);
const indexer = await startServerProcess({ ...settings, ROLES: "indexer" });
const apis = await Promise.all([1, 2].map(() => startServerProcess({ ...settings, ROLES: "api" })));
for (const { siteUrl } of apis) while ((await fetch(`${siteUrl}/readyz`)).status !== 200) await sleep(50);

const call = async (method: string, path: string, body?: unknown) => {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...(path === "/intents" ? { "idempotency-key": crypto.randomUUID() } : {}),
  };
  const answer = await fetch(`${apis[0]!.baseUrl}${path}`, { method, headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as any };
};
const [creator, buyer] = getWallets("open");
const { token } = await launchToken(
  { call, chain, manifest: deployed.manifest, deps: { db } } as unknown as TestStack,
  creator!,
);
const trade = () =>
  startTrader({
    rpcUrl: chain.rpcUrl,
    manifest: deployed.manifest,
    token,
    wallet: buyer!,
    pauseMs: 300,
    now: Date.now,
    minedAtMs: new Map(),
  });

/** Returns the CPU time of a process in milliseconds. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
const apiCpuMs = () => apis.map(({ child }) => readCpuMs(child.pid!)).reduce((sum, ms) => sum + ms, 0);
/** Returns the CPU time of PostgreSQL: its first process and its sessions, with the ended ones. */
function postgresCpuMs(): number {
  let sum = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
      if (Number(fields[1]) === postgres.child.pid || Number(pid) === postgres.child.pid) sum += readCpuMs(Number(pid));
    } catch {
      // The process has ended.
    }
  }
  return sum;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const request = (url: string) =>
  new Promise<void>((resolve, reject) => {
    const sent = get(url, { agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      answer.resume().on("end", resolve);
    });
    sent.on("error", reject);
  });
const cachedPaths = ["/tokens", `/tokens/${token}`, `/tokens/${token}/trades?limit=50`, `/tokens/${token}/candles`];
let sequence = 0;
const toPath = (kind: Kind) =>
  kind === "cached" ? cachedPaths[sequence++ % cachedPaths.length]! : `/tokens?q=nothing${sequence++}`;

/** Sends requests at a fixed rate to the first processes, in turn. @returns the CPU times for each request, in µs. */
async function measure(kind: Kind, processes: number) {
  const tickMs = 25;
  const perTick = (rates[kind] * tickMs) / 1_000;
  const before = { api: apiCpuMs(), postgres: postgresCpuMs() };
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let tick = 1; performance.now() - startedAt < seconds * 1_000; tick++) {
    while (pending.length < tick * perTick) {
      const { baseUrl } = apis[pending.length % processes]!;
      pending.push(request(`${baseUrl}${toPath(kind)}`));
    }
    await sleep(Math.max(0, startedAt + tick * tickMs - performance.now()));
  }
  await Promise.all(pending);
  const toMicros = (ms: number) => (ms * 1_000) / pending.length;
  return { api: toMicros(apiCpuMs() - before.api), postgres: toMicros(postgresCpuMs() - before.postgres) };
}

process.stdout.write(
  `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}\n`,
);
await sleep(5_000);
const idle = {
  before: apis.map(({ child }) => readCpuMs(child.pid!)),
  postgres: postgresCpuMs(),
  at: performance.now(),
};
await sleep(20_000);
const idleMs = performance.now() - idle.at;
const idleShares = apis.map(({ child }, index) => (readCpuMs(child.pid!) - idle.before[index]!) / idleMs);
process.stdout.write(
  `idle: ${idleShares.map((share) => `${(share * 100).toFixed(2)}%`).join(" and ")} of a core for each API process, ` +
    `PostgreSQL ${(((postgresCpuMs() - idle.postgres) / idleMs) * 100).toFixed(2)}%\n`,
);

const trader = await trade();
const median = (numbers: number[]) => percentile(numbers, 0.5);
for (const kind of ["cached", "uncached"] as const) {
  const costs: Record<"one" | "two", { api: number; postgres: number }[]> = { one: [], two: [] };
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const name of round % 2 === 0 ? (["one", "two"] as const) : (["two", "one"] as const)) {
      const second = apis[1]!.child;
      if (name === "one") second.kill("SIGSTOP");
      const cost = await measure(kind, name === "one" ? 1 : 2);
      second.kill("SIGCONT");
      if (round >= 0) costs[name].push(cost);
      await sleep(1_000);
    }
  }
  for (const name of ["one", "two"] as const) {
    const [api, database] = [
      median(costs[name].map((cost) => cost.api)),
      median(costs[name].map((cost) => cost.postgres)),
    ];
    process.stdout.write(
      `${kind}, ${rates[kind]}/s, ${name} process${name === "two" ? "es" : ""}: API ${api.toFixed(0)} µs, PostgreSQL ${database.toFixed(0)} µs a request\n`,
    );
  }
  const toRatio = (part: (cost: { api: number; postgres: number }) => number) =>
    median(costs.two.map((cost, round) => part(cost) / part(costs.one[round]!)));
  process.stdout.write(
    `${kind}, two / one: API ${toRatio(({ api }) => api).toFixed(2)}, with PostgreSQL ${toRatio(({ api, postgres: pg }) => api + pg).toFixed(2)}\n`,
  );
}
await trader.stop();
agent.destroy();
await Promise.all([...apis, indexer].map((one) => one.stop()));
await db.close();
await Promise.all([chain.stop(), postgres.stop()]);
folder.remove();
