import { finishSetup, type PinnedManifest } from "./chain/deployContracts.ts";
import { createSignAndSend } from "./chain/rpcRequest.ts";
import { getWallet, getWallets, type Wallet } from "./chain/wallets.ts";
import { ensureDemoBusinesses } from "./demo/demoBusinesses.ts";
import { ensureDemoTokens } from "./demo/demoTokens.ts";
import { startDemoTrader } from "./demo/demoTrader.ts";
import { type LocalExchange, localPairs, startExchange } from "./exchange/startExchange.ts";
import { startFeedServer } from "./feeds/startFeedServer.ts";
import { startMailCatcher } from "./mail/startMailCatcher.ts";
import { startPinningNode } from "./pinning/startPinningNode.ts";
import { endOrphans } from "./process/childRecords.ts";
import { waitForReaper } from "./process/reaper.ts";
import { requireFreePort } from "./process/requireFreePort.ts";
import { createServiceClient } from "./service/createServiceClient.ts";
import { loadApiKey, loadSecret } from "./service/localCredentials.ts";
import { resolveSiteAddress, type ServerEnvironment, type SiteAddress, startServer } from "./service/startServer.ts";
import { type Progress, silentProgress } from "./stack/progress.ts";
import type { StackError } from "./stack/stackError.ts";
import {
  createStackFolder,
  type DevFile,
  inspectStackFolder,
  removeDevFile,
  resolveStackFolder,
  type StackFolder,
  writeDevFile,
} from "./stack/stackFolder.ts";
import { takeStackLock } from "./stack/stackLock.ts";
import { type Infrastructure, startInfrastructure } from "./stack/startInfrastructure.ts";
import { temporaryFolder } from "./stack/temporaryFolder.ts";

export type StartStackParameters = {
  /** The folder of all state. Default: a new temporary one, removed by `stop`. */
  dir?: string;
  /** The port of the service. Default: any free port. */
  port?: number;
  /**
   * The port of the chain. Default: the port of the last start or the default port if it is free, otherwise any free
   * port.
   */
  chainPort?: number | undefined;
  /** The port of the database. Default: the port of the last start if it is free, otherwise any free port. */
  databasePort?: number | undefined;
  /**
   * Launches the demo tokens, publishes the demo businesses, serves the local feeds of listings and starts the demo
   * trader; `tokens`: only launches the demo tokens. Default false.
   */
  demo?: boolean | "tokens";
  /**
   * Starts the local exchange and collects its markets. Default: with the demo. `halted`: the pairs whose trading
   * ended, with the whole hour of the end.
   */
  exchange?: boolean | { halted: Readonly<Record<string, number>> };
  /** Stores the data crash-safe for the next start. Default false: fast, for tests. */
  durable?: boolean;
  /** More settings of the server, with the names of its `config.ts`. */
  serverEnvironment?: ServerEnvironment;
  /** Restarts the server when one of its sources changes. Default false. */
  watch?: boolean;
  /** The paths of the programs of the server and of its accounts. Default: their sources. */
  programs?: { server: string; accounts: string };
  progress?: Progress;
  /** Cancels the start: all parts are stopped, and the start rejects with the signal's reason. */
  signal?: AbortSignal;
};

export type Stack = {
  siteUrl: string;
  baseUrl: string;
  rpcUrl: string;
  databaseUrl: string;
  apiKey: string;
  /** Ten funded accounts from which the stack itself never sends. */
  wallets: Wallet[];
  manifest: PinnedManifest["manifest"];
  manifestSha256: string;
  manifestPath: string;
  /** The demo tokens. */
  tokens: `0x${string}`[];
  /** The content of `dev.json`. */
  devFile: DevFile;
  /** The local exchange, whose faults tests set; null without one. */
  exchange: LocalExchange | null;
  /** The pid of the server, for tests that kill it; the server is restarted. */
  serverPid: () => number;
  /** Resolves when a part of the stack has ended and is not restarted; never rejects. */
  failed: Promise<StackError>;
  /** Ends all parts in order: trader, server (drains), chain (saves its state), database. */
  stop: () => Promise<void>;
};

/** The state of a start in progress. `cleanups` undo its steps, the last step first. */
type Start = {
  folder: StackFolder;
  parameters: StartStackParameters;
  progress: Progress;
  cleanups: (() => Promise<void> | void)[];
};

/**
 * Starts a complete Slipway: database, chain, contracts, service, a local account, and optionally demo tokens with
 * traffic. Resolves when all parts respond and `dev.json` is written.
 *
 * @example
 * const stack = await startStack({});
 * await fetch(`${stack.baseUrl}/tokens`);
 * await stack.stop();
 *
 * @throws StackError when a configured port is taken, the folder is in use or damaged, or a part does not start; parts
 *   that were started are stopped
 */
export async function startStack(parameters: StartStackParameters = {}): Promise<Stack> {
  const { durable = false, progress = silentProgress, signal } = parameters;
  const temporary = parameters.dir === undefined ? temporaryFolder() : null;
  const folder = resolveStackFolder(temporary?.path ?? (parameters.dir as string));
  const start: Start = { folder, parameters, progress, cleanups: [] };
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= cleanUp(start).then(() => temporary?.remove()));
  try {
    createStackFolder(folder);
    start.cleanups.push(await takeStackLock(folder.lock));
    removeDevFile(folder.devFile);
    await endLastStack(folder, progress);
    const site = await resolveSiteAddress(parameters.port, process.env.HOST || "127.0.0.1");

    const named = { site: site.port, chain: parameters.chainPort, database: parameters.databasePort };
    if (named.chain !== undefined) await requireFreePort("CHAIN_PORT", named.chain, "127.0.0.1");
    if (named.database !== undefined) await requireFreePort("DATABASE_PORT", named.database, "127.0.0.1");

    const found = inspectStackFolder(folder);
    const infrastructure = await startInfrastructure({ folder, durable, progress, found, ports: named });
    start.cleanups.push(infrastructure.stop);
    signal?.throwIfAborted();
    // Runs concurrently with the following steps: the chain saves its state every five seconds.
    const { chain, pinned, isNew } = infrastructure;
    const setup = durable && isNew ? finishSetup(chain(), folder, pinned) : Promise.resolve();
    setup.catch(() => undefined);

    const service = await startService(start, infrastructure, site);
    const tokens = parameters.demo ? await startDemo(start, infrastructure, service) : [];
    await setup;
    signal?.throwIfAborted();

    const devFile = createDevFile(infrastructure, service, tokens, folder);
    start.cleanups.push(() => removeDevFile(folder.devFile));
    writeDevFile(folder.devFile, devFile);
    return {
      siteUrl: service.siteUrl,
      baseUrl: service.baseUrl,
      rpcUrl: devFile.rpc_url,
      databaseUrl: devFile.database_url,
      apiKey: service.apiKey,
      wallets: getWallets("open"),
      manifest: pinned.manifest,
      manifestSha256: pinned.sha256,
      manifestPath: pinned.path,
      tokens,
      devFile,
      exchange: service.exchange,
      serverPid: service.pid,
      failed: Promise.race([service.failed, infrastructure.failed]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function cleanUp({ cleanups }: Start): Promise<void> {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function endLastStack(folder: StackFolder, progress: Progress): Promise<void> {
  await waitForReaper(folder.dir);
  const ended = await endOrphans(folder.dir);
  if (ended.length > 0) progress.note(`the last stack did not end cleanly; ended its orphans: ${ended.join(", ")}`);
}

type Service = {
  siteUrl: string;
  baseUrl: string;
  apiKey: string;
  exchange: LocalExchange | null;
  pid: () => number;
  failed: Promise<StackError>;
};

async function startService(start: Start, infrastructure: Infrastructure, site: SiteAddress): Promise<Service> {
  const { folder, parameters, progress, cleanups } = start;
  const siteUrl = site.url;
  const pinning = await startPinningNode({ folder: folder.pinned });
  cleanups.push(pinning.stop);
  const feeds = parameters.demo === true ? await startFeedServer() : null;
  if (feeds !== null) cleanups.push(feeds.stop);
  const exchange = (parameters.exchange ?? Boolean(parameters.demo)) ? await startMarkets(start) : null;
  const mail = await startMailCatcher({ folder: folder.mails });
  cleanups.push(mail.stop);
  const environment = {
    ...createServerEnvironment(infrastructure, site),
    ...feeds?.environment,
    DATA_DIR: folder.data,
    PINNING_PROVIDER: "kubo",
    PINNING_URL: pinning.url,
    ...(exchange && createMarketEnvironment(exchange)),
    AUTH_SECRET: process.env.AUTH_SECRET ?? loadSecret(folder.authSecret),
    SMTP_URL: mail.url,
    MAIL_FROM: "Slipway <slipway@localhost.localdomain>",
    ALERT_SECRET: loadSecret(folder.alertSecret),
    MAIL_POLL_MS: "500",
    ...parameters.serverEnvironment,
  };
  const { dir, serverLog: logPath } = folder;
  const { watch = false, programs } = parameters;
  const server = await startServer({
    dir,
    siteUrl,
    environment,
    logPath,
    watch,
    program: programs?.server,
    report: progress.note,
  });
  cleanups.push(server.stop);
  await progress.step(
    "Slipway's server (api, indexer, worker)",
    () => server.waitUntilReady(parameters.signal),
    () => siteUrl,
  );
  const baseUrl = `${siteUrl}/api/v1/launchpad`;
  const { apiKey } = await progress.step(
    "Local account with an API key",
    () => loadApiKey(folder.apiKey, baseUrl, environment, programs?.accounts),
    ({ created }) => (created ? "created" : "from an earlier start"),
  );
  return { siteUrl, baseUrl, apiKey, exchange, pid: () => server.current().pid, failed: server.failed };
}

function createServerEnvironment(infrastructure: Infrastructure, site: SiteAddress): ServerEnvironment {
  const { chain, postgres, pinned } = infrastructure;
  return {
    HOST: site.host,
    PORT: String(site.port),
    SITE_URL: process.env.SITE_URL ?? site.url,
    DATABASE_URL: postgres().url,
    DATABASE_API_URL: infrastructure.apiDatabaseUrl,
    DATABASE_INDEXER_URL: infrastructure.indexerDatabaseUrl,
    RPC_URL: chain().rpcUrl,
    RPC_WS_URL: chain().wsUrl,
    CHAIN_NAME: "Slipway local chain",
    PUBLIC_RPC_URLS: chain().rpcUrl,
    // The default protects public endpoints; this endpoint is local.
    RPC_REQUESTS_PER_SECOND: "10000",
    // A chain killed between two saves restarts minutes behind; the indexer must rewind, not stop.
    REORG_WINDOW_SECONDS: "3600",
    // The local chain is reorganised only by hand: feeds need not wait for the end of the reorg window.
    FEED_DELAY_SECONDS: "5",
    FEED_POLL_MS: "1000",
    MANIFEST_PATH: pinned.path,
    MANIFEST_SHA256: pinned.sha256,
    RELAYER_PRIVATE_KEY: getWallet("relayer").privateKey,
    // The local chain's accounts are rich, and its ETH/USD pool is seconds old.
    RELAYER_CEILING_WEI: (10n ** 24n).toString(),
    GAS_STATION_TWAP_SECONDS: "1",
    // All clients of a local stack share one address and the same few wallets.
    GAS_STATION_WALLET_BUDGET: "1000",
    GAS_STATION_ADDRESS_BUDGET: "10000",
    GAS_STATION_FAILURE_BUDGET: "1000",
    GAS_STATION_DAILY_CAP_WEI: (10n ** 20n).toString(),
    PAYMENT_RECIPIENT: getWallet("treasury").address,
    PAYMENT_PRICES: "credits:100=1.00,credits:1000=9.00,subscriber:30=20.00",
    PAYMENT_DAILY_GAS_WEI: (10n ** 20n).toString(),
    KEEPER_PRIVATE_KEY: getWallet("keeper").privateKey,
    // Above the fees of small trades, so that these fees remain for a user who tries a claim.
    KEEPER_MIN_PAYOUT_WEI: (10n ** 18n / 4n).toString(),
    // The local chain's gas costs a multiple of a rollup's.
    KEEPER_MAX_FEE_WEI: (10n ** 11n).toString(),
    KEEPER_DAILY_CAP_WEI: (10n ** 20n).toString(),
    KEEPER_INTERVAL_MS: "1000",
  };
}

async function startMarkets({ cleanups, parameters }: Start): Promise<LocalExchange> {
  const exchange = await startExchange();
  cleanups.push(exchange.stop);
  const halted = typeof parameters.exchange === "object" ? parameters.exchange.halted : {};
  for (const [pair, at] of Object.entries(halted)) exchange.halt(pair, at);
  return exchange;
}

/** Returns the settings with which the server collects the local exchange's markets. */
function createMarketEnvironment({ url }: LocalExchange): ServerEnvironment {
  return {
    MARKETS: Object.keys(localPairs)
      .map((pair) => `${pair}=binance:${pair.replace("_", "/")}`)
      .join(","),
    MARKETS_EXCHANGE_URL: url,
    MARKET_HISTORY_DAYS: process.env.MARKET_HISTORY_DAYS ?? "500",
  };
}

/**
 * Launches the demo tokens and, unless only tokens are requested, publishes the demo businesses and starts the trader.
 * @returns the tokens' addresses
 */
async function startDemo(
  { parameters: { signal, demo }, progress, cleanups }: Start,
  { chain, pinned }: Infrastructure,
  { baseUrl, apiKey }: Service,
): Promise<`0x${string}`[]> {
  const { rpcUrl, chainId } = chain();
  const send = createSignAndSend(rpcUrl, chainId);
  const client = createServiceClient(baseUrl, apiKey, 30_000);
  const { tokens } = await progress.step(
    "Demo tokens, launched through the API",
    () => rejectOnAbort(ensureDemoTokens({ client, send, chainId }), signal),
    ({ tokens, launched }) => `${tokens.length}${launched === 0 ? ", all from an earlier start" : ""}`,
  );
  if (demo === "tokens") return tokens;
  await progress.step(
    "Demo businesses, published through the API",
    () => rejectOnAbort(ensureDemoBusinesses(client), signal),
    ({ count, published }) => `${count}${published === 0 ? ", all from an earlier start" : ""}`,
  );
  const weth = pinned.manifest.wrapped_native.address as `0x${string}`;
  cleanups.push(startDemoTrader({ client, send, rpcUrl, chainId, weth, tokens, report: progress.note }).stop);
  return tokens;
}

function createDevFile(
  infrastructure: Infrastructure,
  service: Service,
  tokens: `0x${string}`[],
  folder: StackFolder,
): DevFile {
  const { manifest, path, sha256 } = infrastructure.pinned;
  return {
    site_url: service.siteUrl,
    base_url: service.baseUrl,
    rpc_url: infrastructure.chain().rpcUrl,
    chain_id: infrastructure.chain().chainId,
    database_url: infrastructure.postgres().url,
    api_key: service.apiKey,
    wallets: getWallets("open").map(({ address, privateKey }) => ({ address, private_key: privateKey })),
    manifest: { path, sha256 },
    weth: manifest.wrapped_native.address as `0x${string}`,
    stablecoin: (manifest.eth_usd?.stablecoin.address ?? null) as `0x${string}` | null,
    mails: folder.mails,
    tokens,
  };
}

/**
 * Returns the result of the work, or rejects with the signal's reason once it is aborted; the work's own end is then
 * ignored.
 */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  return Promise.race([work, aborted]);
}
