import { randomBytes, randomUUID } from "node:crypto";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import pg from "pg";
import { vi } from "vitest";
import { openTestDatabase } from "../database/openTestDatabase.ts";
import { type MainProcess, startMain } from "./startMain.ts";

/** Settings that a busy machine would otherwise affect; a test about one of them sets it. */
const patient = { RATE_LIMIT_STORE_TIMEOUT_MS: "30000", MAX_HEAP_BYTES: "0", MAX_EVENT_LOOP_DELAY_MS: "0" };

/** An API process as the stack sees it. */
export type ApiServer = Pick<MainProcess, "output" | "kill" | "stop"> & {
  pid: number;
  port: number;
  site: string;
  /** The API root. */
  base: string;
};

/** A database with one account, and API processes over it: the layers between the network and the features. */
export type ApiServers = {
  databaseUrl: string;
  pool: pg.Pool;
  apiKey: string;
  accountId: string;
  /** Starts the real program; settings that are not set have the values of a production server. */
  open(environment?: Record<string, string>): Promise<ApiServer>;
  newKey(): Promise<{ accountId: string; apiKey: string }>;
  close(): Promise<void>;
};

/** Opens the servers. There is no chain: endpoints that need one return 503. */
export async function openApiServers(): Promise<ApiServers> {
  const { url, drop } = await openTestDatabase();
  const settings = { DATABASE_URL: url, RPC_URL: "http://127.0.0.1:9" };
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => undefined);
  const opened: ApiServer[] = [];

  const newKey = async () => {
    const accountId = randomUUID();
    const { key, ...kept } = createApiKeySecret({ bytes: randomBytes });
    const owner = { accountId, name: "test", keyId: randomUUID(), keyName: "test" };
    await createAccount(pool, { ...owner, ...kept, scopes: ["read", "write"] });
    return { accountId, apiKey: key };
  };

  const first = await newKey();
  return {
    databaseUrl: url,
    pool,
    ...first,
    newKey,
    open: async (environment = {}) => {
      const main = await startMain(() => ({ ROLES: "api", ...settings, ...patient, ...environment }));
      const process = {
        ...main,
        site: main.siteUrl,
        base: `${main.siteUrl}/api/v1/launchpad`,
        port: Number(new URL(main.siteUrl).port),
        pid: main.child.pid!,
      };
      opened.push(process);
      // The server has a connection to its database, and so does its rate limiter.
      const headers = { authorization: `Bearer ${first.apiKey}`, "x-forwarded-for": "203.0.113.254" };
      // The server may close an idle connection while a request is being sent over it.
      const isReady = async () =>
        (await fetch(`${process.base}/intents`, { headers }).catch(() => null))?.status === 200;
      await vi.waitUntil(isReady, { timeout: 90_000, interval: 50 });
      return process;
    },
    close: async () => {
      await Promise.all(opened.map((process) => process.stop()));
      await pool.end();
      await drop();
    },
  };
}
