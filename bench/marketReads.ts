import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { emitSignals } from "@slipway/server/features/signals/emitSignals";
import { resolveSignals } from "@slipway/server/features/signals/resolveSignals";
import { writeRecords } from "@slipway/server/features/signals/writeRecords";
import { listMarkets } from "@slipway/server/markets/readMarkets";
import { storeRiskMarket } from "../tests/support/markets/riskBars.ts";
import { startLiveService } from "../tests/support/security/startLiveService.ts";
import { type Load, load } from "./httpLoad.ts";
import { percentile } from "./percentile.ts";
import { type ServerProcess, startServerProcess } from "./serverProcess.ts";

/**
 * Measures answers of markets and signals at 16 connections, with and without their caches, in alternating rounds, and
 * their effect on another answer of the same server process: `node bench/marketReads.ts [--rounds 5] [--seconds 1]
 * [--connections 16]`. Without a cache each connection requests a different `limit`, so that no two connections share a
 * query. This process sends the requests; a separate process loads the other answer. Exit code 1 if a cache makes
 * answers slower.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    connections: { type: "string", default: "16" },
    /** Set in the process that loads the other answer. */
    other: { type: "string" },
  },
});
const milliseconds = Number(values.seconds) * 1_000;
const connections = Number(values.connections);
const otherPath = "/api/forecast";

/** Loads the other answer over one connection, once for each message of the parent. */
function serveOther(port: number): void {
  process.on("message", () => {
    void load(port, otherPath, 1, milliseconds).then((result) => process.send!(result));
  });
  process.send!("ready");
}

const median = (numbers: readonly number[]) => percentile(numbers, 0.5);

async function compare(): Promise<void> {
  const service = await startLiveService();
  const pairs = ["BTC_USDT", "ETH_USDT", "SOL_USDT", "ADA_USDT", "XRP_USDT"];
  for (const pair of pairs) await storeRiskMarket(service.db, pair);
  const now = Math.floor(Date.now() / 1_000);
  const markets = await listMarkets(service.db.api, now);
  const { signal } = new AbortController();
  await emitSignals(service.db, markets, now, signal);
  await resolveSignals(service.db, markets, now, signal);
  await writeRecords(service.db, now);

  const start = async (env: Record<string, string>) => {
    const server = await startServerProcess({
      DATABASE_URL: service.databaseUrl,
      RPC_URL: "http://127.0.0.1:1",
      ROLES: "api",
      LOG_LEVEL: "fatal",
      ...env,
    });
    const port = Number(new URL(server.siteUrl).port);
    const other = fork(new URL(import.meta.url), ["--other", String(port), "--seconds", values.seconds]);
    await once(other, "message");
    return { server, port, other };
  };
  type Kind = "uncached" | "cached";
  const servers: Record<Kind, { server: ServerProcess; port: number; other: ChildProcess }> = {
    uncached: await start({ READ_CACHE_BYTES: "0" }),
    cached: await start({}),
  };
  const root = "/api/trading-bot";
  const reads: Record<string, (connection: number) => string> = {
    "GET /api/markets": () => "/api/markets",
    "GET /api/markets/{pair}/bars": (n) => `/api/markets/BTC_USDT/bars?limit=${500 + n}`,
    "GET public-signals-latest": (n) => `${root}/public-signals-latest?limit=${100 + n}`,
    "GET public-signals": (n) => `${root}/public-signals?limit=${50 + n}`,
    "GET signal-records": () => `${root}/signal-records`,
  };
  process.stdout.write(
    `Answers of markets and signals, ${connections} connections; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n\n` +
      "| | uncached /s | cached /s | ratio | p99 ms | another answer meanwhile, p50 ms | p99 ms |\n|---|---|---|---|---|---|---|\n",
  );
  let isFaster = true;
  for (const [name, toPath] of Object.entries(reads)) {
    const measured = { uncached: [] as Sample[], cached: [] as Sample[] };
    for (let round = -1; round < Number(values.rounds); round++) {
      const kinds = Object.keys(servers) as Kind[];
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
        const sample = await measure(servers[kind], (n) => toPath(kind === "uncached" ? n : 0));
        if (round >= 0) measured[kind].push(sample);
      }
    }
    const of = (kind: Kind, field: keyof Sample) => median(measured[kind].map((sample) => sample[field]));
    const ratio = median(measured.cached.map(({ rate }, round) => rate / measured.uncached[round]!.rate));
    isFaster &&= ratio >= 1;
    const both = (field: keyof Sample) => `${of("uncached", field).toFixed(1)}, ${of("cached", field).toFixed(1)}`;
    process.stdout.write(
      `| ${name} | ${of("uncached", "rate").toFixed(0)} | ${of("cached", "rate").toFixed(0)} | ${ratio.toFixed(1)} | ${both("p99")} | ${both("otherP50")} | ${both("otherP99")} |\n`,
    );
  }
  for (const { server, other } of Object.values(servers)) {
    other.kill();
    await server.stop();
  }
  await service.close();
  process.exitCode = isFaster ? 0 : 1;
}

type Sample = { rate: number; p99: number; otherP50: number; otherP99: number };

async function measure(
  { port, other }: { port: number; other: ChildProcess },
  toPath: (connection: number) => string,
): Promise<Sample> {
  const answered = once(other, "message") as Promise<[Load]>;
  other.send("measure");
  const results = await Promise.all(
    Array.from({ length: connections }, (_, n) => load(port, toPath(n), 1, milliseconds)),
  );
  const [another] = await answered;
  return {
    rate: results.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0),
    p99: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    otherP50: another.p50Ms,
    otherP99: another.p99Ms,
  };
}

if (values.other === undefined) await compare();
else serveOther(Number(values.other));
