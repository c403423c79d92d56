import { createHash, randomBytes } from "node:crypto";
import type { LocalDeployment, LocalDeploymentOptions } from "@slipway/deploy/deployLocal";
import type { Chain as LocalChain } from "@slipway/dev/chain/startChain";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import type { Scope } from "@slipway/protocol/accounts";
import type { Manifest } from "@slipway/protocol/manifest";
import { createAccount as createAccountRow } from "@slipway/server/accounts/accounts";
import { createChain } from "@slipway/server/chain/createChain";
import { type Config, parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import { openDatabase } from "@slipway/server/db/database";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createLog } from "@slipway/server/log";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import type { Logger } from "pino";
import { buildTestApp } from "../buildTestApp.ts";
import { unlimited } from "../conformance/unlimited.ts";
import { openTestDatabase } from "../database/openTestDatabase.ts";
import { startDeployedChain } from "../startDeployedChain.ts";

/** One account of the service with its API key. */
export type Account = { id: string; key: string };

/** An answer of the API. */
export type Answer = { status: number; body: any; headers?: Record<string, unknown> };

/** One running API over the stack's chain and database. */
export type Server = {
  deps: Deps;
  /** Calls an endpoint as an account: below the API root, or below the site's root for a path that begins with `/api/`. */
  call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    as?: Account,
  ): Promise<Answer>;
  /** Also listens on a port of this machine. */
  listen(port: number): Promise<string>;
  close(): Promise<void>;
};

/** Everything real: a local chain with the real contracts, PostgreSQL, the indexer, the API without its socket. */
export type TestStack = Server & {
  chain: LocalChain;
  manifest: Manifest;
  manifestSha256: string;
  manifestPath: string;
  stablecoin: `0x${string}`;
  account: Account;
  createAccount(name: string, scopes?: Scope[]): Promise<Account>;
  /** Starts another API process over the same chain and database, with other settings. */
  openServer(environment: Record<string, string>, log?: Logger): Promise<Server>;
  /** Moves the indexing to a server with another manifest, which must stay open until the stack is closed. */
  indexWith(server: Server): Promise<void>;
};

export type TestStackOptions = Partial<Pick<LocalDeploymentOptions, "routerKind">> & {
  /** The maximum time without a block, in milliseconds; 0: only the test mines. Default 1,000. */
  heartbeatMs?: number;
};

const apiRoot = "/api/v1/launchpad";

/** Raises every limit that the test is not about, also for a busy machine. */
export const withoutLimits = { ...unlimited, RPC_REQUESTS_PER_SECOND: "100000" };

/** Starts a separate stack, in a second or two. */
export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = temporaryFolder();
  const [{ chain, deployed }, database] = await Promise.all([
    startDeployedChain({ dir: folder.path, heartbeatMs: options.heartbeatMs ?? 1_000, routerKind: options.routerKind }),
    openTestDatabase(),
  ]);
  const stopProcesses = async () => {
    await Promise.all([chain.stop(), database.drop()]);
    folder.remove();
  };
  try {
    return await openStack({ chain, deployed, databaseUrl: database.url, stopProcesses });
  } catch (error) {
    await stopProcesses();
    throw error;
  }
}

type Processes = {
  chain: LocalChain;
  deployed: LocalDeployment;
  databaseUrl: string;
  stopProcesses: () => Promise<void>;
};

async function openStack(processes: Processes): Promise<TestStack> {
  const { chain, deployed, stopProcesses } = processes;
  const settings = {
    NODE_ENV: "test",
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
    DATABASE_URL: processes.databaseUrl,
    RPC_URL: chain.rpcUrl,
    ...withoutLimits,
    MANIFEST_PATH: deployed.path,
    MANIFEST_SHA256: deployed.sha256,
  };
  const account: Account = { id: "", key: "" };
  const openServer = (environment: Record<string, string>, log?: Logger) =>
    startServer(parseConfig({ ...settings, ...environment }), account, log);
  const main = await openServer({});
  let indexer = startIndexer(main.deps, deployed.manifest);
  const createAccount = (name: string, scopes?: Scope[]) => insertAccount(main.deps, name, scopes);
  Object.assign(account, await createAccount("creator"));

  return {
    ...main,
    chain,
    manifest: deployed.manifest,
    manifestSha256: deployed.sha256,
    manifestPath: deployed.path,
    stablecoin: deployed.stablecoin,
    account,
    createAccount,
    openServer,
    indexWith: async (server) => {
      await indexer.stop();
      indexer = startIndexer(server.deps, server.deps.chain.manifestState().manifest!);
    },
    close: async () => {
      await indexer.stop();
      await main.close();
      await stopProcesses();
    },
  };
}

async function startServer(config: Config, account: Account, log: Logger = createLog(config)): Promise<Server> {
  const metrics = createMetrics();
  const db = openDatabase(config, log);
  const chain = await createChain(config, log, systemClock, metrics);
  const runtime = { config, log, clock: systemClock, ids: createIds(systemClock), db, chain, metrics };
  const { app, deps } = await buildTestApp(runtime);
  await app.ready();
  return {
    deps,
    call: async (method, path, body, as = account) => {
      const answer = await app.inject({
        method,
        url: path.startsWith("/api/") ? path : `${apiRoot}${path}`,
        headers: {
          authorization: `Bearer ${as.key}`,
          ...(path === "/intents" && method === "POST" ? { "idempotency-key": randomBytes(12).toString("hex") } : {}),
        },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
    },
    listen: async (port) => await app.listen({ host: "127.0.0.1", port }),
    close: async () => {
      await app.close();
      await chain.close();
      await db.close();
    },
  };
}

async function insertAccount(deps: Deps, name: string, scopes?: Scope[]): Promise<Account> {
  const account = { id: deps.ids.uuid(), key: `slipway_${randomBytes(24).toString("base64url")}` };
  await createAccountRow(deps.db.api, {
    accountId: account.id,
    name,
    keyId: deps.ids.uuid(),
    keyName: "test",
    hash: createHash("sha256").update(account.key).digest(),
    prefix: account.key.slice(0, 12),
    ...(scopes === undefined ? {} : { scopes }),
  });
  return account;
}
