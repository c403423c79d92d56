import { once } from "node:events";
import { access, constants } from "node:fs/promises";
import { createServer } from "node:net";
import { pino } from "pino";
import { checkChainSettings } from "./chain/checkChainSettings.ts";
import { createChain } from "./chain/createChain.ts";
import type { Clock } from "./clock.ts";
import { type Config, ConfigError, parseConfig } from "./config.ts";
import { diagnoseDatabase, diagnoseReplicas, type Finding, maxClockDifferenceMs } from "./db/diagnoseDatabase.ts";
import { diagnoseKeeper } from "./features/fees/keeper/diagnoseKeeper.ts";
import { createMetrics } from "./metrics.ts";
import { createClickHouse } from "./providers/clickHouse/createClickHouse.ts";
import { isInBucket } from "./providers/storage/createMediaStorage.ts";
import { measureDisk } from "./providers/storage/measureDisk.ts";

/** The head of a live chain is younger than this; a chain that mines only on demand may be older. */
const maxHeadAgeMs = 60_000;

/**
 * Checks a deployment without changing it: settings, chain, database, roles, replica, history engine, clock, disk and ports.
 *
 * @param env - The settings of a server.
 * @returns Every finding, with the remedy of each problem and no secret. Without valid settings, only their problems.
 */
export async function diagnose(env: Record<string, string | undefined>, clock: Clock): Promise<Finding[]> {
  let config: Config;
  try {
    config = parseConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((text) => ({ check: "settings", level: "problem", text }));
  }
  const findings = await Promise.all([
    diagnoseChain(config, clock),
    diagnoseDatabase(config, () => clock.now()),
    diagnoseReplicas(config),
    diagnoseHistory(config, clock),
    diagnoseDisk(config),
    diagnosePorts(config),
  ]);
  return [{ check: "settings", level: "ok", text: `valid; roles ${config.ROLES.join(", ")}` }, ...findings.flat()];
}

/** Checks that the history engine answers with the credentials of its URL. */
async function diagnoseHistory(config: Config, clock: Clock): Promise<Finding[]> {
  const { HISTORY_URL: server, HISTORY_CLUSTER: cluster, HISTORY_TIMEOUT_MS: timeoutMs } = config;
  if (server === undefined) return [];
  try {
    await createClickHouse({ server, cluster, timeoutMs, clock }).ping(timeoutMs);
    return [{ check: "history", level: "ok", text: "the history engine answers" }];
  } catch (error) {
    const text = `the history engine ${(error as Error).message}; correct HISTORY_URL, or start the engine`;
    return [{ check: "history", level: "problem", text }];
  }
}

async function diagnoseChain(config: Config, clock: Clock): Promise<Finding[]> {
  const chain = await createChain(config, pino({ level: "silent" }), clock, createMetrics());
  const findings: Finding[] = [];
  try {
    await checkChainSettings(config, chain).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      for (const text of error.problems) findings.push({ check: "chain", level: "problem", text });
    });
    const hosts = config.RPC_URL.map((url) => new URL(url).host);
    const blocks = await Promise.all(hosts.map((_, endpoint) => readHead(chain, endpoint)));
    for (const [endpoint, block] of blocks.entries()) {
      findings.push({ check: "chain", ...describeHead(`endpoint ${endpoint + 1} (${hosts[endpoint]})`, block, clock) });
    }
    if (new Set(hosts).size === 1) {
      const text = "every endpoint of RPC_URL has one host: nothing confirms its answers; add another provider";
      findings.push({ check: "chain", level: "warning", text });
    }
    const { manifest, verified, reason } = chain.manifestState();
    if (manifest === null && findings.every(({ level }) => level !== "problem")) {
      const text = "no manifest is configured: nothing is indexed; set MANIFEST_PATH and MANIFEST_SHA256";
      findings.push({ check: "manifest", level: "warning", text });
    } else if (manifest !== null) {
      const text = verified ? "the contracts of the chain match" : `the contracts are not verified: ${reason}`;
      findings.push({ check: "manifest", level: verified ? "ok" : "problem", text });
    }
    findings.push(...(await diagnoseKeeper(config, chain)));
    return findings;
  } finally {
    await chain.close();
  }
}

/** Returns number and time, in Unix seconds, of the newest block of an endpoint; null without a response. */
async function readHead(
  { rpc }: Awaited<ReturnType<typeof createChain>>,
  endpoint: number,
): Promise<{ number: number; time: number } | null> {
  const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
  const block = (await rpc.request(call, { endpoint }).catch(() => null)) as {
    number: string;
    timestamp: string;
  } | null;
  return block && { number: Number(block.number), time: Number(block.timestamp) };
}

function describeHead(
  name: string,
  block: { number: number; time: number } | null,
  clock: Clock,
): Pick<Finding, "level" | "text"> {
  if (block === null) {
    return { level: "problem", text: `${name} does not respond; start it, or correct RPC_URL` };
  }
  const ageMs = clock.now() - block.time * 1000;
  const text = `${name}: block ${block.number}, ${Math.round(ageMs / 1000)} s old`;
  if (ageMs < -maxClockDifferenceMs) {
    return { level: "problem", text: `${text}: the clock of this machine is late; synchronise it (chrony)` };
  }
  if (ageMs <= maxHeadAgeMs) return { level: "ok", text };
  return { level: "warning", text: `${text}: the endpoint is behind, or no block was mined` };
}

/** Checks the folder of uploads; a bucket has no disk here. */
async function diagnoseDisk(config: Config): Promise<Finding[]> {
  if (isInBucket(config) || !config.ROLES.some((role) => role !== "indexer")) return [];
  const { folder, freeBytes } = await measureDisk(config.DATA_DIR);
  try {
    await access(folder, constants.W_OK);
  } catch {
    return [
      { check: "disk", level: "problem", text: `DATA_DIR: this user may not write to ${folder}; change its owner` },
    ];
  }
  const text = `${Math.floor(freeBytes / 1024 ** 2)} MiB are free at ${folder}`;
  if (freeBytes >= config.MEDIA_MIN_FREE_BYTES) return [{ check: "disk", level: "ok", text }];
  const remedy = "uploads are refused (MEDIA_MIN_FREE_BYTES); free space, or name another DATA_DIR";
  return [{ check: "disk", level: "problem", text: `${text}: ${remedy}` }];
}

async function diagnosePorts(config: Config): Promise<Finding[]> {
  const ports = [
    ...(config.ROLES.includes("api") ? [{ setting: "PORT", port: config.PORT, host: config.HOST }] : []),
    ...(config.METRICS_PORT === undefined
      ? []
      : [{ setting: "METRICS_PORT", port: config.METRICS_PORT, host: config.METRICS_HOST }]),
  ];
  const findings: Finding[] = [];
  for (const { setting, port, host } of ports) findings.push(await diagnosePort(setting, port, host));
  return findings;
}

async function diagnosePort(setting: string, port: number, host: string): Promise<Finding> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return { check: "ports", level: "ok", text: `${setting}: ${port} at ${host} is free` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      const text = `${setting}: ${port} at ${host} is in use, by the running service or by another program`;
      return { check: "ports", level: "warning", text };
    }
    const text = `${setting}: cannot listen on ${port} at ${host} (${code}); set another address`;
    return { check: "ports", level: "problem", text };
  } finally {
    server.close();
  }
}
