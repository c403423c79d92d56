import type { Manifest } from "@slipway/protocol/manifest";
import type { ManifestState } from "@slipway/server/chain/chain";
import type { Clock } from "@slipway/server/clock";
import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import type { Database } from "@slipway/server/db/database";
import type { Deps } from "@slipway/server/deps";
import type { Limits } from "@slipway/server/http/overload/limits";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { buildTestApp } from "../buildTestApp.ts";
import { testChainId, testManifest } from "./testManifest.ts";

export type ReadApp = {
  app: FastifyInstance;
  deps: Deps;
  limits: Limits;
  /** Changes the data of the manifest. */
  setManifest: (state: ManifestState) => void;
  /** Makes the chain's endpoint fail from now on. */
  breakChain: () => void;
  /** Makes the chain's endpoint answer for this chain id from now on. */
  serveChain: (chainId: number) => void;
  get: (
    path: string,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; json: any; headers: Record<string, any>; body: Buffer }>;
};

export const pinnedState = (manifest: Manifest | null): ManifestState => ({
  manifest,
  sha256: manifest === null ? null : "ab".repeat(32),
  verified: manifest !== null,
  verifiedAtBlock: manifest === null ? null : 7n,
  reason: null,
  disabledGasTokens: new Set(),
});

const apiRoot = "/api/v1/launchpad";

/** The whole HTTP server over a database and a fake chain: reads use nothing else. */
export async function createReadApp(
  db: Database,
  env: Record<string, string> = {},
  clock: Clock = systemClock,
  log: Logger = pino({ level: process.env.TEST_LOG ?? "silent" }),
): Promise<ReadApp> {
  const config = parseConfig({
    DATABASE_URL: "postgres://unused",
    RPC_URL: "http://127.0.0.1:1",
    READ_LIMIT_PER_SECOND: "1000000",
    READ_LIMIT_BURST: "1000000",
    ...env,
  });
  const state = { manifest: pinnedState(testManifest), answers: true, chainId: testChainId };
  const chain = {
    request: async ({ method }: { method: string }) => {
      if (!state.answers) throw new Error("connect ECONNREFUSED http://user:secret@node");
      return method === "eth_chainId" ? `0x${state.chainId.toString(16)}` : "0x10";
    },
    manifestState: () => state.manifest,
    close: async () => undefined,
  } as unknown as Deps["chain"];
  const runtime = { config, log, clock, ids: createIds(clock), db, chain, metrics: createMetrics() };
  const { app, deps, limits } = await buildTestApp(runtime);
  return {
    app,
    deps,
    limits,
    setManifest: (manifest) => {
      state.manifest = manifest;
    },
    breakChain: () => {
      state.answers = false;
    },
    serveChain: (chainId) => {
      state.chainId = chainId;
    },
    get: async (path, headers = {}) => {
      const url = /^\/(healthz|readyz|metrics)/.test(path) ? path : `${apiRoot}${path}`;
      const answer = await app.inject({ method: "GET", url, headers });
      const isJson = String(answer.headers["content-type"]).startsWith("application/json");
      return {
        status: answer.statusCode,
        json: isJson && answer.body !== "" ? answer.json() : undefined,
        headers: answer.headers,
        body: answer.rawPayload,
      };
    },
  };
}
