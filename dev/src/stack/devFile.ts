import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { defaultStackDir, stackFolder } from "./stackFolder.ts";
import { StackError } from "./stackError.ts";

/** What `.slipway/dev.json` tells scripts and examples about the running stack. Source: docs/api.md, Local stack. */
export type DevFile = {
  site_url: string;
  base_url: string;
  rpc_url: string;
  chain_id: number;
  database_url: string;
  api_key: string;
  /** Funded accounts that the stack itself never sends from; the keys are the well-known development ones. */
  wallets: { address: `0x${string}`; private_key: `0x${string}` }[];
  manifest: { path: string; sha256: string };
  weth: `0x${string}`;
  stablecoin: `0x${string}` | null;
  /** Addresses of the demo tokens. */
  tokens: `0x${string}`[];
};

/** Writes the file in one step and for its owner only: it names the database's password. */
export function writeDevFile(path: string, content: DevFile): void {
  const partial = `${path}.partial`;
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, path);
}

export function removeDevFile(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}.partial`, { force: true });
}

/**
 * Reads what the running stack says about itself.
 *
 * @throws StackError when no stack runs in this checkout
 */
export function readDevFile(path = stackFolder(defaultStackDir).devFile): DevFile {
  if (!existsSync(path)) {
    throw new StackError(`No local stack is running here (${path} is missing).`, "Start it first: npm start");
  }
  return JSON.parse(readFileSync(path, "utf8")) as DevFile;
}
