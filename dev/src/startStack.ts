import { authSecret } from "./service/authSecret.ts";
import { endLeftovers } from "./process/childRecords.ts";
import { type DevFile, removeDevFile, writeDevFile } from "./stack/devFile.ts";
import { ensureDemoTokens } from "./demo/ensureDemoTokens.ts";
import { type DemoTrader, startDemoTrader } from "./demo/startDemoTrader.ts";
import { finishSetup, type PinnedManifest } from "./chain/deployContracts.ts";
import { type Ground, startGround } from "./stack/startGround.ts";
import { waitForGuard } from "./process/guard.ts";
import { localApiKey } from "./service/localApiKey.ts";
import { type Progress, silentProgress } from "./stack/progress.ts";
import { rememberPorts } from "./stack/rememberedPorts.ts";
import { type ServerEnvironment, startServer } from "./service/startServer.ts";
import { serviceApi } from "./service/serviceApi.ts";
import { type SiteAddress, siteAddress } from "./stack/siteAddress.ts";
import { signAndSend } from "./chain/signAndSend.ts";
import { createStackFolder, examineStackFolder, type StackFolder, stackFolder } from "./stack/stackFolder.ts";
import type { StackError } from "./stack/stackError.ts";
import { takeStackLock } from "./stack/stackLock.ts";
import { temporaryFolder } from "./stack/temporaryFolder.ts";
import { type Wallet, walletOf, walletsOf } from "./chain/wallets.ts";

export type StartStackParameters = {
  /** Where everything is kept. Default: a new folder under the system's temporary one, removed by `stop`. */
  dir?: string;
  /** Port of the service. Default: any free one. */
  port?: number;
  /** Launches the demo tokens and keeps them traded. Default false. */
  demo?: boolean;
  /** Keeps the data for the next start, safe in a crash. Default false: fast, for tests. */
  durable?: boolean;
  /** More settings of the server, by the names of its `config.ts`. */
  serverEnvironment?: ServerEnvironment;
  progress?: Progress;
  /** Ends the start early: it then rejects with the signal's reason, everything stopped. */
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
  /** What was written to `dev.json`. */
  devFile: DevFile;
  /** The server's process, for tests that kill it; it is started again. */
  serverPid: () => number;
  /** Resolves when a part of the stack could not be kept running; never rejects. */
  failed: Promise<StackError>;
  /** Ends everything in order: trader, server (drains), chain (saves its state), database. */
  stop: () => Promise<void>;
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
 * @throws StackError when the port is taken, the folder is in use or damaged, or a part does not come up; whatever
 *   was started by then is stopped
 */
export async function startStack(parameters: StartStackParameters = {}): Promise<Stack> {
  const { demo = false, durable = false, progress = silentProgress, signal } = parameters;
  const temporary = parameters.dir === undefined ? temporaryFolder() : null;
  const folder = stackFolder(temporary?.path ?? (parameters.dir as string));
  const undo: (() => Promise<void> | void)[] = [];
  const stop = once(async () => {
    for (const step of undo.reverse()) await step();
    temporary?.remove();
  });
  try {
    createStackFolder(folder);
    undo.push(takeStackLock(folder.lock));
    removeDevFile(folder.devFile);
    await endSurvivors(folder, progress);
    const site = await siteAddress(parameters.port, process.env.HOST || "127.0.0.1");
    const siteUrl = site.url;

    const ground = await startGround({ folder, durable, progress, found: examineStackFolder(folder) });
    undo.push(ground.stop);
    signal?.throwIfAborted();
    // Runs beside the steps that follow: the chain saves its state every five seconds.
    const setup = durable && ground.isNew ? finishSetup(ground.chain(), folder, ground.pinned) : Promise.resolve();
    setup.catch(() => undefined);
    rememberPorts(folder, { chain: ground.chain().port, postgres: ground.postgres().port });

    const environment = {
      ...serverEnvironment(ground, site),
      AUTH_SECRET: process.env.AUTH_SECRET ?? authSecret(folder.authSecret),
      ...parameters.serverEnvironment,
    };
    const server = await startServer({
      dir: folder.dir,
      siteUrl,
      environment,
      logPath: folder.serverLog,
      report: progress.note,
    });
    undo.push(server.stop);
    await progress.step(
      "Slipway's server (api, indexer, worker)",
      () => server.untilReady(signal),
      () => siteUrl,
    );

    const baseUrl = `${siteUrl}/api/v1/launchpad`;
    const { apiKey } = await progress.step(
      "Local account with an API key",
      () => localApiKey(folder.apiKey, baseUrl, environment),
      ({ created }) => (created ? "created" : "the one of the last start"),
    );
    const launched = demo ? await startDemo(ground, baseUrl, apiKey, progress, signal) : { tokens: [], trader: null };
    if (launched.trader) undo.push(launched.trader.stop);
    await setup;
    signal?.throwIfAborted();

    const devFile = describe(ground, siteUrl, baseUrl, apiKey, launched.tokens);
    undo.push(() => removeDevFile(folder.devFile));
    writeDevFile(folder.devFile, devFile);
    return {
      siteUrl,
      baseUrl,
      rpcUrl: devFile.rpc_url,
      databaseUrl: devFile.database_url,
      apiKey,
      wallets: walletsOf("open"),
      manifest: ground.pinned.manifest,
      manifestSha256: ground.pinned.sha256,
      manifestPath: ground.pinned.path,
      tokens: launched.tokens,
      devFile,
      serverPid: () => server.current().pid,
      failed: Promise.race([server.failed, ground.failed]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function endSurvivors(folder: StackFolder, progress: Progress): Promise<void> {
  await waitForGuard(folder.dir);
  const ended = await endLeftovers(folder.dir);
  if (ended.length > 0) progress.note(`the last stack did not end cleanly; ended what was left: ${ended.join(", ")}`);
}

function serverEnvironment(ground: Ground, site: SiteAddress): ServerEnvironment {
  return {
    HOST: site.host,
    PORT: String(site.port),
    SITE_URL: process.env.SITE_URL ?? site.url,
    DATABASE_URL: ground.postgres().url,
    DATABASE_API_URL: ground.apiDatabaseUrl,
    DATABASE_INDEXER_URL: ground.indexerDatabaseUrl,
    RPC_URL: ground.chain().rpcUrl,
    RPC_WS_URL: ground.chain().wsUrl,
    // The default spares public endpoints; this one is ours.
    RPC_REQUESTS_PER_SECOND: "10000",
    // A chain killed between two saves comes back minutes behind; that is a rewind, not a stop.
    REORG_WINDOW_SECONDS: "3600",
    MANIFEST_PATH: ground.pinned.path,
    MANIFEST_SHA256: ground.pinned.sha256,
    RELAYER_PRIVATE_KEY: walletOf("relayer").privateKey,
    // The local chain's accounts are rich, and its ETH/USD pool is seconds old.
    RELAYER_CEILING_WEI: (10n ** 24n).toString(),
    GAS_STATION_TWAP_SECONDS: "1",
    // Everybody of a local stack comes from one address and plays with the same few wallets.
    GAS_STATION_WALLET_BUDGET: "1000",
    GAS_STATION_ADDRESS_BUDGET: "10000",
    GAS_STATION_FAILURE_BUDGET: "1000",
    GAS_STATION_DAILY_CAP_WEI: (10n ** 20n).toString(),
  };
}

async function startDemo(
  ground: Ground,
  baseUrl: string,
  apiKey: string,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<{ tokens: `0x${string}`[]; trader: DemoTrader }> {
  const { rpcUrl, chainId } = ground.chain();
  const send = signAndSend(rpcUrl, chainId);
  const api = serviceApi(baseUrl, apiKey, 30_000);
  const { tokens } = await progress.step(
    "Demo tokens, launched through the API",
    () => orAborted(ensureDemoTokens({ api, send, chainId }), signal),
    ({ tokens, launched }) => `${tokens.length}${launched === 0 ? ", all from an earlier start" : ""}`,
  );
  const weth = ground.pinned.manifest.wrapped_native.address as `0x${string}`;
  const trader = startDemoTrader({ api, send, rpcUrl, chainId, weth, tokens, report: progress.note });
  return { tokens, trader };
}

function describe(ground: Ground, siteUrl: string, baseUrl: string, apiKey: string, tokens: `0x${string}`[]): DevFile {
  const { manifest, path, sha256 } = ground.pinned;
  return {
    site_url: siteUrl,
    base_url: baseUrl,
    rpc_url: ground.chain().rpcUrl,
    chain_id: ground.chain().chainId,
    database_url: ground.postgres().url,
    api_key: apiKey,
    wallets: walletsOf("open").map(({ address, privateKey }) => ({ address, private_key: privateKey })),
    manifest: { path, sha256 },
    weth: manifest.wrapped_native.address as `0x${string}`,
    stablecoin: (manifest.eth_usd?.stablecoin.address ?? null) as `0x${string}` | null,
    tokens,
  };
}

/** What the work gives, unless the signal is aborted first; the work's own end is then of no interest. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  return Promise.race([work, aborted]);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}
