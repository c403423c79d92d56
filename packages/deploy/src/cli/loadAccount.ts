import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Address, getAddress, type Hex, type LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { DeployError } from "../deployError.ts";

/**
 * Loads the deployer's account from an encrypted keystore file (version 3) or the environment variable
 * DEPLOYER_PRIVATE_KEY, which is removed from the environment. No error contains the key or the password.
 *
 * @throws DeployError `key_missing`, `key_invalid`, `file_not_found`, `keystore_unreadable`.
 */
export async function loadAccount(keystorePath: string | undefined, env: NodeJS.ProcessEnv): Promise<LocalAccount> {
  if (keystorePath !== undefined) return decryptKeystore(keystorePath, env);
  const key = env.DEPLOYER_PRIVATE_KEY;
  delete env.DEPLOYER_PRIVATE_KEY;
  if (key === undefined || key === "") throw new DeployError("key_missing", "the deployer key is missing");
  return toAccount(key.trim());
}

/** Reads the deployer's address, if that needs no password. */
export function readDeployerAddress(keystorePath: string | undefined, env: NodeJS.ProcessEnv): Address | undefined {
  if (keystorePath === undefined) {
    const key = env.DEPLOYER_PRIVATE_KEY;
    return key === undefined || key === "" ? undefined : toAccount(key.trim()).address;
  }
  const { address } = keystoreFields(readKeystore(keystorePath));
  return typeof address === "string" && /^(0x)?[0-9a-fA-F]{40}$/.test(address)
    ? getAddress(`0x${address.replace(/^0x/, "").toLowerCase()}`)
    : undefined;
}

function toAccount(key: string): LocalAccount {
  const digits = key.replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new DeployError("key_invalid", "the deployer key is not 32 bytes of hex");
  try {
    return privateKeyToAccount(`0x${digits}` as Hex);
  } catch {
    throw new DeployError("key_invalid", "the deployer key is not a key of the curve secp256k1");
  }
}

async function decryptKeystore(path: string, env: NodeJS.ProcessEnv): Promise<LocalAccount> {
  const text = readKeystore(path);
  const password = env.DEPLOYER_KEYSTORE_PASSWORD ?? (await promptHidden(`Password of ${path} (not shown): `));
  delete env.DEPLOYER_KEYSTORE_PASSWORD;
  if (password === undefined) {
    throw new DeployError("keystore_unreadable", "there is no password and no terminal for a prompt");
  }
  // Imported only here: the import is slow, and most runs need no keystore.
  const { decryptKeystoreJson } = await import("ethers");
  let privateKey: string;
  try {
    ({ privateKey } = await decryptKeystoreJson(text, password));
  } catch {
    throw new DeployError("keystore_unreadable", `${path} is not a version 3 keystore, or the password is wrong`);
  }
  return toAccount(privateKey);
}

function readKeystore(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DeployError("file_not_found", `there is no keystore file ${path}`);
  }
}

function keystoreFields(text: string): { address?: unknown } {
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === "object" && fields !== null ? fields : {};
  } catch {
    return {};
  }
}

/** Prompts for a line on the terminal without echo; undefined without a terminal. */
export async function promptHidden(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
