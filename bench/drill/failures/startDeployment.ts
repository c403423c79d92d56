import { getWallets } from "@slipway/dev/chain/wallets";
import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { pino } from "pino";
import { launchToken } from "../../../tests/support/security/actors.ts";
import { createSubscriber } from "../../../tests/support/security/createSubscriber.ts";
import type { Answer, TestStack } from "../../../tests/support/security/startTestStack.ts";
import { createClients } from "./createClients.ts";
import type { Host } from "./hosts.ts";
import { type Cleanups, createDrillFolder, until } from "./program.ts";
import { type DatabaseCluster, startDatabase } from "./startDatabase.ts";
import { startLoad } from "./startLoad.ts";
import { type ServiceOptions, startService } from "./startService.ts";
import { startTrader } from "./startTrader.ts";

export type Deployment = Awaited<ReturnType<typeof startDeployment>>;

/** The pause of the trader between two trades. */
const pauseMs = 400;

/** The accounts that write drafts in turn; an account can have 1,000 drafts, and the whole load writes 5 a second. */
const defaultAccounts = 20;

/** Starts a whole deployment with load: database, service, a token, trades, requests and streams. */
export async function startDeployment(options: {
  keepsLogs: boolean;
  createHosts: (cleanups: Cleanups) => Promise<Host[]>;
  /** Starts another database than the one of Patroni. */
  startDatabase?: (dir: string, cleanups: Cleanups) => Promise<DatabaseCluster>;
  service?: ServiceOptions;
  /** The share of the load of `failures`. */
  load: number;
  accounts?: number;
  signal: AbortSignal;
}) {
  const { keepsLogs, load: share, signal } = options;
  const folder = createDrillFolder();
  const cleanups: Cleanups = [];
  const stop = async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup().catch(() => undefined);
    if (keepsLogs) process.stderr.write(`logs: ${folder.path}\n`);
    else folder.remove();
  };
  try {
    const report = (text: string) => process.stderr.write(`${text}\n`);
    report("starts the database");
    const startPatroni = async () => {
      const hosts = await options.createHosts(cleanups);
      return await startDatabase({ dir: folder.path, hosts, signal, cleanups });
    };
    const startOther = options.startDatabase;
    const database = await (startOther === undefined ? startPatroni() : startOther(folder.path, cleanups));
    report("starts the chain and the service");
    const service = await startService(folder.path, database, signal, cleanups, options.service);
    const [creator, buyer] = getWallets("open");

    const settings = { DATABASE_URL: database.urlFor("owner"), RPC_URL: service.chain.rpcUrl, ROLES: "worker" };
    const db = openDatabase(parseConfig(settings), pino({ level: "silent" }));
    const apiKeys: string[] = [];
    while (apiKeys.length < (options.accounts ?? defaultAccounts)) apiKeys.push((await createSubscriber(db)).key);
    const apiKey = apiKeys[0]!;
    const balancerUrls = service.balancers.map(({ siteUrl }) => siteUrl);
    const clients = createClients(balancerUrls);
    const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        ...(path === "/intents" ? { "idempotency-key": crypto.randomUUID() } : {}),
      };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await clients.send("write", `/api/v1/launchpad${path}`, init);
      if (answer === null) throw new Error(`${path} was not answered`);
      return answer;
    };
    const { manifest } = service;
    const stack = { call, chain: service.chain, manifest, deps: { db } } as unknown as TestStack;
    let token: string;
    try {
      ({ token } = await launchToken(stack, creator!));
    } finally {
      await db.close();
    }

    report("starts the load");
    const chainId = manifest.chain_id;
    const { rpcUrl } = service.chain;
    const minedAtMs = new Map<string, number>();
    const wallet = creator!.address;
    const load = startLoad({ clients, balancerUrls, apiKeys, token, chainId, wallet, minedAtMs, share, signal });
    cleanups.push(load.stopStreams, load.stopRequests);
    await until("every stream is open", () => load.streams.every(({ isOpen }) => isOpen), { signal });
    const trading = { rpcUrl, manifest, token, wallet: buyer!, pauseMs: pauseMs / share, now: clients.now, minedAtMs };
    const trader = await startTrader(trading);
    cleanups.push(trader.stop);
    return { database, service, clients, load, trader, apiKeys, token, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
