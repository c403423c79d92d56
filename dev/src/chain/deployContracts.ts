import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { deployLocal } from "@slipway/deploy/deployLocal";
import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";
import { keccak256 } from "viem";
import type { Chain } from "./startChain.ts";
import { rpcRequest } from "./rpcRequest.ts";
import type { StackFolder } from "../stack/stackFolder.ts";
import { StackError } from "../stack/stackError.ts";
import { walletOf } from "./wallets.ts";

export type PinnedManifest = { manifest: Manifest; sha256: string; path: string };

/** What `setup.json` keeps: the hash that the operator of this stack pinned when the contracts were deployed. */
type SetupRecord = { chain_id: number; manifest_sha256: string; deployed_at: string };

/** Deploys Uniswap, the assets and Slipway's contracts on a new local chain and writes their manifest. */
export async function deployContracts(chain: Chain, folder: StackFolder): Promise<PinnedManifest> {
  const { manifest, sha256, path } = await deployLocal({
    rpcUrl: chain.rpcUrl,
    deployer: walletOf("deployer").account,
    treasury: walletOf("treasury").address,
    owner: walletOf("treasury").address,
    relayer: walletOf("relayer").address,
    manifestPath: folder.manifest,
  });
  return { manifest, sha256, path };
}

/**
 * Reads back the manifest of an earlier start and proves that the chain still carries its contracts.
 *
 * @throws StackError when the file is not the pinned one, or the chain came back from before the deployment
 */
export async function pinnedManifest(chain: Chain, folder: StackFolder): Promise<PinnedManifest> {
  const bytes = readFileSync(folder.manifest);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const setup = JSON.parse(readFileSync(folder.setupDone, "utf8")) as SetupRecord;
  const beginAnew = "Put the file back, or drop the local data and begin anew: npm run reset";
  if (sha256 !== setup.manifest_sha256) {
    throw new StackError(`${folder.manifest} is not the manifest that was pinned: its bytes have changed.`, beginAnew);
  }
  const manifest = manifestSchema.parse(JSON.parse(bytes.toString("utf8")));
  const { address, runtime_code_hash } = manifest.current.launch_factory;
  const code = await rpcRequest<`0x${string}`>(chain.rpcUrl, "eth_getCode", [address, "latest"]);
  if (keccak256(code) !== runtime_code_hash) {
    throw new StackError(
      `The local chain does not carry the contracts of ${folder.manifest}: it is another chain's, or older than them.`,
      beginAnew,
    );
  }
  return { manifest, sha256, path: folder.manifest };
}

/**
 * Waits until the saved state of the chain holds the deployment, then notes that the set-up is done: from here on a
 * restart, also after a kill -9, continues with these contracts.
 */
export async function finishSetup(chain: Chain, folder: StackFolder, pinned: PinnedManifest): Promise<void> {
  const deployedAt = Number(await rpcRequest<string>(chain.rpcUrl, "eth_blockNumber"));
  const deadline = Date.now() + 60_000;
  while (savedHeight(folder.chainState) < deployedAt) {
    if (Date.now() > deadline) throw new StackError("The local chain does not save its state.", "Is the disk full?");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const record: SetupRecord = {
    chain_id: chain.chainId,
    manifest_sha256: pinned.sha256,
    deployed_at: new Date().toISOString(),
  };
  writeFileSync(`${folder.setupDone}.partial`, JSON.stringify(record));
  renameSync(`${folder.setupDone}.partial`, folder.setupDone);
}

function savedHeight(path: string): number {
  if (!existsSync(path)) return -1;
  try {
    return Number(JSON.parse(readFileSync(path, "utf8")).block.number);
  } catch {
    return -1;
  }
}
