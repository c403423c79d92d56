import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import { openDatabase } from "@slipway/server/db/database";
import type { Deps } from "@slipway/server/deps";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { buildTestApp } from "../tests/support/buildTestApp.ts";

export type BenchApp = { app: FastifyInstance; deps: Deps; close: () => Promise<void> };

/** The parts of a manifest that reads need: lists in USD. The stablecoin is the pool's token1. */
const manifest = {
  chain_id: 46630,
  explorer_url: null,
  wrapped_native: { address: `0x${"77".repeat(20)}` },
  gas_station_tokens: [],
  eth_usd: {
    pool: `0x${"99".repeat(20)}`,
    stablecoin: { address: `0x${"88".repeat(20)}` },
    stablecoin_symbol: "USDx",
    stablecoin_decimals: 6,
  },
};

/** Starts the server's HTTP side over a seeded database, without a chain, because reads do not use the chain. */
export async function createBenchApp(databaseUrl: string, env: Record<string, string> = {}): Promise<BenchApp> {
  const config = parseConfig({
    DATABASE_URL: databaseUrl,
    RPC_URL: "http://127.0.0.1:1",
    CHAIN_ID: "46630",
    READ_LIMIT_PER_SECOND: "1000000",
    READ_LIMIT_BURST: "1000000",
    ...env,
  });
  const log = pino({ level: "silent" });
  const db = openDatabase(config, log);
  const chain = {
    request: () => Promise.reject(new Error("there is no chain")),
    manifestState: () => ({ manifest, disabledGasTokens: new Set() }),
    close: async () => undefined,
  } as unknown as Deps["chain"];
  const runtime = { config, log, clock: systemClock, ids: createIds(systemClock), db, chain, metrics: createMetrics() };
  const { app, deps } = await buildTestApp(runtime);
  // The seeded index has no indexer, so its status is updated here to stay live.
  const keepLive = () => db.indexer.query("update chain.status set updated_at = now()");
  await keepLive();
  const timer = setInterval(() => void keepLive().catch(() => undefined), 2_000);
  return {
    app,
    deps,
    close: async () => {
      clearInterval(timer);
      await app.close();
      await db.close();
    },
  };
}
