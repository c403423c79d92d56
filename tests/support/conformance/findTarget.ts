import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startStack } from "@slipway/dev/startStack";
import { Wallet } from "ethers";
import { shortHistory } from "../startBuiltStack.ts";
import type { Target } from "./target.ts";
import { unlimited } from "./unlimited.ts";

const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));
const devFilePath = join(repositoryRoot, ".slipway", "dev.json");

/** The fields of `dev.json` that are used here. Source: docs/api.md, Local stack. */
type DevFile = {
  site_url: string;
  base_url: string;
  rpc_url: string;
  chain_id: number;
  api_key: string;
  weth: string;
  database_url: string;
  manifest: { path: string; sha256: string };
  mails: string;
  wallets: { address: string; private_key: string }[];
};

export type Found = { target: Omit<Target, "fixture" | "cellsPath" | "adminKey">; stop: () => Promise<void> };

const fromDevFile = (file: DevFile): Found["target"] => ({
  siteUrl: file.site_url,
  baseUrl: file.base_url,
  apiKey: file.api_key,
  rpcUrl: file.rpc_url,
  chainId: file.chain_id,
  weth: file.weth,
  inside: {
    databaseUrl: file.database_url,
    manifestPath: file.manifest.path,
    manifestSha256: file.manifest.sha256,
    mails: file.mails,
  },
  wallets: file.wallets.map(({ address, private_key }) => ({ address, privateKey: private_key })),
});

/**
 * Returns the stack to test: the stack at BASE_URL, the stack of `.slipway/dev.json` if SLIPWAY_TARGET is `running` (or
 * `any`, if a stack is running), otherwise a temporary one. A BASE_URL that is not the stack of this checkout needs a
 * key in API_KEY. With RPC_URL, WETH and three funded WALLET_PRIVATE_KEYS (comma-separated), tests also sign and trade;
 * without them, those tests are skipped.
 */
export async function findTarget(env: NodeJS.ProcessEnv): Promise<Found> {
  const running = existsSync(devFilePath) ? (JSON.parse(readFileSync(devFilePath, "utf8")) as DevFile) : null;
  const baseUrl = env.BASE_URL?.replace(/\/+$/, "");
  const stop = async () => undefined;
  if (baseUrl !== undefined && baseUrl !== running?.base_url) return { target: await fromUrl(baseUrl, env), stop };
  const usesRunning = env.SLIPWAY_TARGET === "running" || (env.SLIPWAY_TARGET === "any" && running !== null);
  if (baseUrl !== undefined || usesRunning) {
    if (running === null) throw new Error("Nothing is running here: npm start first, or set BASE_URL and API_KEY.");
    return { target: fromDevFile(running), stop };
  }
  const stack = await startStack({ exchange: true, serverEnvironment: { ...unlimited, ...shortHistory } });
  return { target: fromDevFile(stack.devFile as DevFile), stop: stack.stop };
}

async function fromUrl(baseUrl: string, env: NodeJS.ProcessEnv): Promise<Found["target"]> {
  if (!env.API_KEY) throw new Error("API_KEY must hold a key of the service that BASE_URL names.");
  const keys = (env.WALLET_PRIVATE_KEYS ?? "").split(",").filter(Boolean);
  const config = (await (await fetch(`${baseUrl}/config`)).json()) as { chain_id: number };
  return {
    siteUrl: new URL(baseUrl).origin,
    baseUrl,
    apiKey: env.API_KEY,
    rpcUrl: env.RPC_URL ?? null,
    chainId: config.chain_id,
    weth: env.WETH ?? null,
    wallets: keys.map((privateKey) => ({ address: new Wallet(privateKey).address, privateKey })),
    inside: null,
  };
}
