import { finishSetup, type PinnedManifest } from "./chain/deployContracts.ts";
import { createSignAndSend } from "./chain/rpcRequest.ts";
import { type Wallet, getWallet, getWallets } from "./chain/wallets.ts";
import { ensureDemoTokens } from "./demo/demoTokens.ts";
import { startDemoTrader } from "./demo/demoTrader.ts";
import { endOrphans } from "./process/childRecords.ts";
import { waitForReaper } from "./process/reaper.ts";
import { createServiceClient } from "./service/createServiceClient.ts";
import { loadApiKey, loadAuthSecret } from "./service/localCredentials.ts";
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
  /** Port of the service. Default: any free one. */
  port?: number;
  /** Launches the demo tokens and starts the demo trader. Default false. */
  demo?: boolean;
  /** Stores the data crash-safe for the next start. Default false: fast, for tests. */
  durable?: boolean;
  /** More settings of the server, by the names of its `config.ts`. */
  serverEnvironment?: ServerEnvironment;
  progress?: Progress;
  /** Cancels the start: it then rejects with the signal's reason, everything stopped. */
  signal?: AbortSignal;
};

export type Stack = {
  siteUrl: string;
  baseUrl: string;
  rpcUrl: string;
  databaseUrl: string;
  apiKey: string;
  /** Ten funded accounts that the stack itself never sends from. */
  wallets: Wallet[];
  manifest: PinnedManifest["manifest"];
  manifestSha256: string;
  manifestPath: string;
  /** The demo tokens. */
  tokens: `0x${string}`[];
  /** The content of `dev.json`. */
  devFile: DevFile;
  /** The server's process, for tests that kill it; it is restarted. */
  serverPid: () => number;
  /** Resolves when a part of the stack ended and is not restarted; never rejects. */
  failed: Promise<StackError>;
  /** Ends everything in order: trader, server (drains), chain (saves its state), database. */
  stop: () => Promise<void>;
};

/** What a start has in progress. `cleanups` undo what was started, the last one first. */
type Start = {
  folder: StackFolder;
  parameters: StartStackParameters;
  progress: Progress;
  cleanups: (() => Promise<void> | void)[];
};

/**
 * Starts a whole Slipway: database, chain, contracts, service, a local account, and on request demo tokens with
 * traffic. Resolves when everything answers and `dev.json` is written.
 *
 * @example
 * const stack = await startStack({});
 * await fetch(`${stack.baseUrl}/tokens`);
 * await stack.stop();
 *
 * @throws StackError when the port is taken, the folder is in use or damaged, or a part does not start; what was
 *   started by then is stopped
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

    const infrastructure = await startInfrastructure({ folder, durable, progress, found: inspectStackFolder(folder) });
    start.cleanups.push(infrastructure.stop);
    signal?.throwIfAborted();
    // Concurrent with the steps that follow: the chain saves its state every five seconds.
    const { chain, pinned, isNew } = infrastructure;
    const setup = durable && isNew ? finishSetup(chain(), folder, pinned) : Promise.resolve();
    setup.catch(() => undefined);

    const service = await startService(start, infrastructure, site);
    const tokens = parameters.demo ? await startDemo(start, infrastructure, service) : [];
    await setup;
    signal?.throwIfAborted();

    const devFile = createDevFile(infrastructure, service, tokens);
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
  pid: () => number;
  failed: Promise<StackError>;
};

async function startService(start: Start, infrastructure: Infrastructure, site: SiteAddress): Promise<Service> {
  const { folder, parameters, progress, cleanups } = start;
  const siteUrl = site.url;
  const environment = {
    ...createServerEnvironment(infrastructure, site),
    AUTH_SECRET: process.env.AUTH_SECRET ?? loadAuthSecret(folder.authSecret),
    ...parameters.serverEnvironment,
  };
  const { dir, serverLog: logPath } = folder;
  const server = await startServer({ dir, siteUrl, environment, logPath, report: progress.note });
  cleanups.push(server.stop);
  await progress.step(
    "Slipway's server (api, indexer, worker)",
    () => server.waitUntilReady(parameters.signal),
    () => siteUrl,
  );
  const baseUrl = `${siteUrl}/api/v1/launchpad`;
  const { apiKey } = await progress.step(
    "Local account with an API key",
    () => loadApiKey(folder.apiKey, baseUrl, environment),
    ({ created }) => (created ? "created" : "the one of the last start"),
  );
  return { siteUrl, baseUrl, apiKey, pid: () => server.current().pid, failed: server.failed };
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
    // The default protects public endpoints; this one is local.
    RPC_REQUESTS_PER_SECOND: "10000",
    // A chain killed between two saves restarts minutes behind; the indexer must rewind, not stop.
    REORG_WINDOW_SECONDS: "3600",
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
  };
}

/** Launches the demo tokens and starts the trader. @returns the tokens' addresses */
async function startDemo(
  { parameters: { signal }, progress, cleanups }: Start,
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
  const weth = pinned.manifest.wrapped_native.address as `0x${string}`;
  cleanups.push(startDemoTrader({ client, send, rpcUrl, chainId, weth, tokens, report: progress.note }).stop);
  return tokens;
}

function createDevFile(infrastructure: Infrastructure, service: Service, tokens: `0x${string}`[]): DevFile {
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
    tokens,
  };
}

/** The result of the work, or the signal's reason as soon as it is aborted; the work's own end is then ignored. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  return Promise.race([work, aborted]);
}
