import { readFileSync, statSync } from "node:fs";
import { promptHidden } from "@slipway/deploy/cli/loadAccount";
import { decryptKeystoreJson, JsonRpcProvider, Network, Wallet } from "ethers";
import { UsageError } from "./cliError.ts";

export type KeyOptions = { keystore?: string; keyFile?: string };
export type Environment = Record<string, string | undefined>;

/** The time between two requests for a receipt. */
const pollingMs = 1_000;

/**
 * Opens the wallet that signs, and its node. The key comes from an encrypted keystore (version 3), a file with the key, or `SLIPWAY_PRIVATE_KEY`.
 * Removes key and password from the environment. No error contains either.
 *
 * @param chainId - The chain of the manifest; the node must be on it.
 * @throws UsageError without a key, or if the key or the node cannot be used.
 */
export async function openWallet(
  options: KeyOptions,
  env: Environment,
  { rpcUrl, chainId }: { rpcUrl: string; chainId: number },
): Promise<{ signer: Wallet; provider: JsonRpcProvider }> {
  const key = await readKey(options, env);
  const network = Network.from(chainId);
  const provider = new JsonRpcProvider(rpcUrl, network, {
    staticNetwork: network,
    pollingInterval: pollingMs,
    cacheTimeout: -1,
  });
  try {
    const actual = Number(await provider.send("eth_chainId", []));
    if (actual !== chainId) throw new UsageError(`The node is on the chain ${actual}, the manifest on ${chainId}.`);
    return { signer: new Wallet(key, provider), provider };
  } catch (error) {
    provider.destroy();
    throw error;
  }
}

async function readKey({ keystore, keyFile }: KeyOptions, env: Environment): Promise<string> {
  const { SLIPWAY_PRIVATE_KEY: key, SLIPWAY_KEYSTORE_PASSWORD: password } = env;
  delete env.SLIPWAY_PRIVATE_KEY;
  delete env.SLIPWAY_KEYSTORE_PASSWORD;
  if (keystore !== undefined && keyFile !== undefined) throw new UsageError("Pass --keystore or --key-file, not both.");
  if (keystore !== undefined) return await decrypt(keystore, password);
  if (keyFile !== undefined) return toKey(readPrivateFile(keyFile), keyFile);
  if (key !== undefined && key !== "") return toKey(key, "SLIPWAY_PRIVATE_KEY");
  throw new UsageError("There is no key: pass --keystore FILE or --key-file FILE, or set SLIPWAY_PRIVATE_KEY.");
}

async function decrypt(path: string, given: string | undefined): Promise<string> {
  const text = readText(path);
  const password = given ?? (await promptHidden(`Password of ${path} (not shown): `));
  if (password === undefined)
    throw new UsageError("There is no password: set SLIPWAY_KEYSTORE_PASSWORD, or use a terminal.");
  try {
    return (await decryptKeystoreJson(text, password)).privateKey;
  } catch {
    throw new UsageError(`${path} is not a version 3 keystore, or the password is wrong.`);
  }
}

/** Reads an unencrypted file, which no other account may read. Windows has no such permissions. */
function readPrivateFile(path: string): string {
  const text = readText(path);
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
    throw new UsageError(`Other accounts of this machine can read ${path}: run chmod 600 on it.`);
  return text;
}

/** @throws UsageError without the content of the file. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function toKey(text: string, source: string): string {
  const digits = text.trim().replace(/^0x/, "");
  try {
    if (/^[0-9a-fA-F]{64}$/.test(digits)) return new Wallet(`0x${digits}`).privateKey;
  } catch {
    // Not a number of the curve; the error of ethers is not shown.
  }
  throw new UsageError(`${source} is not a private key of 32 bytes in hex.`);
}
