import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { deployLocal } from "@slipway/deploy/deployLocal";
import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";
import { keccak256 } from "viem";
import { StackError } from "../stack/stackError.ts";
import { type StackFolder, writePrivateFile } from "../stack/stackFolder.ts";
import { rpcRequest } from "./rpcRequest.ts";
import type { Chain } from "./startChain.ts";
import { getWallet } from "./wallets.ts";

export type PinnedManifest = { manifest: Manifest; sha256: string; path: string };

/** The content of `setup.json`: the hash of the manifest, pinned at the deployment of the contracts. */
type SetupRecord = { chain_id: number; manifest_sha256: string; deployed_at: string };

/** Deploys Uniswap, the assets and Slipway's contracts on a new local chain and writes their manifest. */
export async function deployContracts(chain: Chain, folder: StackFolder): Promise<PinnedManifest> {
  const { manifest, sha256, path } = await deployLocal({
    rpcUrl: chain.rpcUrl,
    deployer: getWallet("deployer").account,
    treasury: getWallet("treasury").address,
    owner: getWallet("treasury").address,
    relayer: getWallet("relayer").address,
    manifestPath: folder.manifest,
  });
  return { manifest, sha256, path };
}

/**
 * Reads the manifest of an earlier start and verifies that the chain still has its contracts.
 *
 * @throws StackError when the file is not the pinned one, or the chain's state is older than the deployment
 */
export async function readPinnedManifest(chain: Chain, folder: StackFolder): Promise<PinnedManifest> {
  const bytes = readFileSync(folder.manifest);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const setup = JSON.parse(readFileSync(folder.setupDone, "utf8")) as SetupRecord;
  const advice = "Put the file back, or delete the local data and start again: npm run reset";
  if (sha256 !== setup.manifest_sha256) {
    throw new StackError(`${folder.manifest} is not the pinned manifest: its bytes have changed.`, advice);
  }
  const parsed = manifestSchema.safeParse(JSON.parse(bytes.toString("utf8")));
  if (!parsed.success) throw new StackError(`${folder.manifest} does not match this version of the contracts.`, advice);
  const manifest = parsed.data;
  const { address, runtime_code_hash } = manifest.current.launch_factory;
  const code = await rpcRequest<`0x${string}`>(chain.rpcUrl, "eth_getCode", [address, "latest"]);
  if (keccak256(code) !== runtime_code_hash) {
    throw new StackError(
      `The local chain does not have the contracts of ${folder.manifest}: it is another chain or an older state.`,
      advice,
    );
  }
  return { manifest, sha256, path: folder.manifest };
}

/**
 * Waits until the saved state of the chain contains the deployment, then records that the set-up is complete: every
 * later start uses these contracts, also after a kill -9.
 */
export async function finishSetup(chain: Chain, folder: StackFolder, pinned: PinnedManifest): Promise<void> {
  const deployedAt = Number(await rpcRequest<string>(chain.rpcUrl, "eth_blockNumber"));
  const deadline = Date.now() + 180_000;
  while (readSavedHeight(folder.chainState) < deployedAt) {
    if (Date.now() > deadline) throw new StackError("The local chain does not save its state.", "Is the disk full?");
    await sleep(200);
  }
  const record: SetupRecord = {
    chain_id: chain.chainId,
    manifest_sha256: pinned.sha256,
    deployed_at: new Date().toISOString(),
  };
  writePrivateFile(folder.setupDone, JSON.stringify(record));
}

function readSavedHeight(path: string): number {
  try {
    return Number(JSON.parse(readFileSync(path, "utf8")).block.number);
  } catch {
    return -1;
  }
}
