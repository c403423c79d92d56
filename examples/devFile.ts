import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTrust, type Trust } from "@slipway/sdk/verifyPrepared";

/** The file in which `npm start` describes the running local stack. */
export type DevFile = {
  base_url: string;
  rpc_url: string;
  chain_id: 46630;
  api_key: string;
  wallets: { address: `0x${string}`; private_key: `0x${string}` }[];
  manifest: { path: string; sha256: string };
  weth: `0x${string}`;
};

/** Reads `.slipway/dev.json`, or the file in the folder that SLIPWAY_DIR names. */
export const dev = JSON.parse(readFileSync(join(process.env.SLIPWAY_DIR ?? ".slipway", "dev.json"), "utf8")) as DevFile;

/** Reads the manifest from its file: the service's own answer would prove nothing about the service. */
export const readTrust = async (): Promise<Trust> =>
  await createTrust(readFileSync(dev.manifest.path, "utf8"), dev.manifest.sha256);

/** Prints the balance that a program promised and the one that the chain has, and ends with 1 if they differ. */
export function report(what: string, promised: bigint, actual: bigint): void {
  console.log(`${what}: promised ${promised}, balance ${actual}`);
  if (promised !== actual) process.exitCode = 1;
}
