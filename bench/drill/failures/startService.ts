import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deployLocal } from "@slipway/deploy/deployLocal";
import { type Chain, startChain } from "@slipway/dev/chain/startChain";
import { getWallet } from "@slipway/dev/chain/wallets";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { serverProgram } from "@slipway/dev/service/startServer";
import type { Manifest } from "@slipway/protocol/manifest";
import { requireProgram } from "../../../tests/support/findProgram.ts";
import { type Cleanups, createProgram, type Program, until } from "./program.ts";
import type { DatabaseCluster } from "./startDatabase.ts";

/** A process of the service, and the address of its API or of its metrics. */
export type ServiceProcess = { program: Program; siteUrl: string };

/** A server of a version, whose next starts can be of another version. */
export type VersionedProcess = ServiceProcess & { useServer(path: string): void };

export type Service = {
  chain: Chain;
  manifest: Manifest;
  apis: VersionedProcess[];
  indexers: VersionedProcess[];
  worker: VersionedProcess;
  /** Two processes of HAProxy with the shipped configuration; clients know both. */
  balancers: ServiceProcess[];
  /** Waits until every process responds, and both APIs take reads and writes. */
  untilReady(signal?: AbortSignal): Promise<void>;
  /** Creates a further process, which is not started. */
  createProcess(name: string, role: string): Promise<VersionedProcess>;
};

/** Settings of every process beside the defaults of drills, and the program of the server. */
export type ServiceOptions = {
  settings?: Record<string, string>;
  server?: string;
  /** Returns further variables of one process, from the path of its log. */
  createEnvironment?: (logPath: string) => Record<string, string>;
};

/** No limits that the load of a drill would reach. */
const unlimited = {
  READ_LIMIT_PER_SECOND: "1000000",
  READ_LIMIT_BURST: "1000000",
  WRITE_LIMIT_PER_SECOND: "1000000",
  WRITE_LIMIT_BURST: "1000000",
  RPC_REQUESTS_PER_SECOND: "100000",
};

/** Starts a chain with the contracts, two APIs, two indexers, a worker, and two HAProxy. */
export async function startService(
  dir: string,
  database: DatabaseCluster,
  signal: AbortSignal,
  cleanups: Cleanups,
  options: ServiceOptions = {},
): Promise<Service> {
  const chain = await startChain({ dir, durable: false, heartbeatMs: 1_000 });
  cleanups.push(chain.stop);
  const deployed = await deployLocal({
    rpcUrl: chain.rpcUrl,
    deployer: getWallet("deployer").account,
    treasury: getWallet("treasury").address,
    owner: getWallet("treasury").address,
    relayer: getWallet("relayer").address,
    manifestPath: join(dir, "manifest.json"),
  });
  const settings = {
    ...unlimited,
    NODE_ENV: "production",
    LOG_LEVEL: "info",
    DATABASE_URL: database.urlFor("owner"),
    DATABASE_API_URL: database.urlFor("api"),
    DATABASE_INDEXER_URL: database.urlFor("indexer"),
    DATABASE_READ_URL: database.readUrls.join(","),
    RPC_URL: chain.rpcUrl,
    RPC_WS_URL: chain.wsUrl,
    MANIFEST_PATH: deployed.path,
    MANIFEST_SHA256: deployed.sha256,
    DATA_DIR: join(dir, "data"),
    TRUST_PROXY: "loopback",
    METRICS_HOST: "127.0.0.1",
    ...options.settings,
  };
  const createProcess = async (name: string, role: string): Promise<VersionedProcess> => {
    const [port, metricsPort] = [await getFreePort(), await getFreePort()];
    const own = options.createEnvironment?.(join(dir, `${name}.log`)) ?? {};
    const ports = { HOST: "127.0.0.1", PORT: `${port}`, METRICS_PORT: `${metricsPort}` };
    const env = { ...settings, ...own, ROLES: role, ...ports };
    const args = [options.server ?? serverProgram];
    const program = createProgram({ name, dir, command: process.execPath, args, env, endOrder: 1 });
    cleanups.push(program.stop);
    const useServer = (path: string) => void args.splice(0, 1, path);
    return { program, siteUrl: `http://127.0.0.1:${role === "api" ? port : metricsPort}`, useServer };
  };
  const indexers = [await createProcess("indexer1", "indexer"), await createProcess("indexer2", "indexer")];
  const apis = [await createProcess("api1", "api"), await createProcess("api2", "api")];
  const worker = await createProcess("worker", "worker");
  // The first process migrates the database.
  await indexers[0]!.program.start();
  await untilOk(indexers[0]!.siteUrl, "/healthz", signal);
  for (const { program } of [indexers[1]!, ...apis, worker]) await program.start();

  const balancers = await Promise.all(["1", "2"].map((number) => createBalancer(dir, number, apis)));
  for (const { program } of balancers) {
    cleanups.push(program.stop);
    await program.start();
  }

  const untilReady = async (abort?: AbortSignal) => {
    for (const { siteUrl } of [...indexers, worker]) await untilOk(siteUrl, "/healthz", abort);
    for (const { siteUrl } of [...apis, ...balancers]) await untilOk(siteUrl, "/readyz", abort);
  };
  await untilReady(signal);
  return { chain, manifest: deployed.manifest, apis, indexers, worker, balancers, untilReady, createProcess };
}

async function createBalancer(dir: string, number: string, apis: readonly ServiceProcess[]): Promise<ServiceProcess> {
  const port = await getFreePort();
  const file = join(dir, `haproxy${number}.cfg`);
  let text = readFileSync(new URL("../../../deploy/haproxy.cfg", import.meta.url), "utf8")
    // Fits the limit of file descriptors of any machine.
    .replace("maxconn 5000", "maxconn 500")
    .replace("127.0.0.1:8080", `127.0.0.1:${port}`);
  for (const [index, { siteUrl }] of apis.entries()) {
    text = text.replaceAll(`127.0.0.1:${8787 + index}`, new URL(siteUrl).host);
  }
  writeFileSync(file, text);
  const command = requireProgram("haproxy");
  const program = createProgram({ name: `haproxy${number}`, dir, command, args: ["-db", "-f", file], endOrder: 1 });
  return { program, siteUrl: `http://127.0.0.1:${port}` };
}

/** Waits until a path of a process answers 200. */
export async function untilOk(siteUrl: string, path: string, signal?: AbortSignal): Promise<void> {
  const isOk = async () => (await fetch(`${siteUrl}${path}`)).ok;
  await until(`${siteUrl}${path} answers 200`, isOk, { timeoutMs: 120_000, ...(signal && { signal }) });
}
