/**
 * Runs Slipway's backfill from an empty database to the head. node bench/index/backfill.ts <rpc url> <database url>
 * <manifest>
 */

import { readFileSync } from "node:fs";
import { manifestSchema } from "@slipway/protocol/manifest";
import { createSeenHeads } from "@slipway/server/chain/lastSeen";
import { createRpcPool } from "@slipway/server/chain/rpcPool";
import { createRpcTransport } from "@slipway/server/chain/rpcTransport";
import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import { openDatabase } from "@slipway/server/db/database";
import { migrate } from "@slipway/server/db/migrate";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";

const [rpcUrl, databaseUrl, manifestPath] = process.argv.slice(2) as [string, string, string];
const config = parseConfig({ DATABASE_URL: databaseUrl, RPC_URL: rpcUrl, RPC_REQUESTS_PER_SECOND: "100000" });
const log = pino({ level: process.env.LOG_LEVEL ?? "warn" }, pino.destination(2));
const metrics = createMetrics();
const db = openDatabase(config, log);
await migrate(db.api, log);
const rpc = createRpcPool({
  endpoints: 1,
  transport: createRpcTransport(config.RPC_URL),
  timeoutMs: config.RPC_TIMEOUT_MS,
  requestsPerSecond: config.RPC_REQUESTS_PER_SECOND,
  clock: systemClock,
  log,
  metrics,
});
const deps = {
  config,
  log,
  clock: systemClock,
  ids: createIds(systemClock),
  db,
  chain: { rpc, heads: createSeenHeads(systemClock) },
  metrics,
} as unknown as Deps;
const manifest = manifestSchema.parse(JSON.parse(readFileSync(manifestPath, "utf8")));

const cpuBefore = process.cpuUsage();
const started = performance.now();
const indexer = startIndexer(deps, manifest);
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  const status = indexer.status();
  if (status.state === "halted") throw new Error(status.reason ?? "halted");
  if (status.state === "live" && status.indexedBlock === status.headBlock && status.headBlock !== null) break;
}
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(cpuBefore);
await indexer.stop();
const { rows } = await db.api.query<{ swaps: number }>("select count(*)::int as swaps from chain.trades");
await db.close();
console.log(
  JSON.stringify({
    swaps: rows[0]!.swaps,
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
process.exit(0);
