import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deployLocal, type LocalDeployment, type LocalDeploymentOptions } from "@slipway/deploy/deployLocal";
import { getChainStatePaths } from "@slipway/dev/chain/chainState";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { type Chain, startChain } from "@slipway/dev/chain/startChain";
import { getWallet } from "@slipway/dev/chain/wallets";
import { prepareOnce } from "./prepareOnce.ts";

export type DeployedChainOptions = {
  /** The folder of the chain's log and of `manifest.json`. */
  dir: string;
  /** The maximum time without a block, in milliseconds; 0: only transactions are mined. */
  heartbeatMs: number;
  routerKind?: LocalDeploymentOptions["routerKind"] | undefined;
};

/**
 * Starts a local chain with all contracts deployed. The first call of a test run deploys them and saves the chain's
 * state; the other calls start from that state, which takes a fifth of the time.
 */
export async function startDeployedChain(
  options: DeployedChainOptions,
): Promise<{ chain: Chain; deployed: LocalDeployment }> {
  const { dir, heartbeatMs, routerKind = "swap_router_02" } = options;
  const template = await prepareTemplate(routerKind);
  const chain = await startChain({
    dir,
    durable: false,
    heartbeatMs,
    initialState: getChainStatePaths(template).state,
  });
  // A chain that starts from a state continues at the time of its last block.
  await rpcRequest(chain.rpcUrl, "anvil_setTime", [Math.floor(Date.now() / 1_000)]);
  await rpcRequest(chain.rpcUrl, "evm_mine");
  const deployed = JSON.parse(readFileSync(join(template, "deployed.json"), "utf8")) as LocalDeployment;
  const path = join(dir, "manifest.json");
  copyFileSync(deployed.path, path);
  return { chain, deployed: { ...deployed, path } };
}

/** The folder of a deployed chain's state. */
const prepareTemplate = (routerKind: NonNullable<LocalDeploymentOptions["routerKind"]>): Promise<string> =>
  prepareOnce(`chain-template-${routerKind}`, "deployed.json", (folder) =>
    deployTemplate(folder, routerKind, join(folder, "deployed.json")),
  );

async function deployTemplate(
  folder: string,
  routerKind: NonNullable<LocalDeploymentOptions["routerKind"]>,
  done: string,
): Promise<void> {
  const chain = await startChain({ dir: folder, durable: true, heartbeatMs: 0 });
  try {
    const deployed = await deployLocal({
      rpcUrl: chain.rpcUrl,
      deployer: getWallet("deployer").account,
      treasury: getWallet("treasury").address,
      owner: getWallet("treasury").address,
      relayer: getWallet("relayer").address,
      manifestPath: join(folder, "manifest.json"),
      routerKind,
    });
    writeFileSync(`${done}.partial`, JSON.stringify(deployed));
  } finally {
    // Saves the state.
    await chain.stop();
  }
  renameSync(`${done}.partial`, done);
}
