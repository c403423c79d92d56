import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deployLocal, type LocalDeployment, type LocalDeploymentOptions } from "@slipway/deploy/deployLocal";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Anvil, startAnvil } from "./startAnvil.ts";

/** anvil's first development account. */
export const deployerKey: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
export const deployer = privateKeyToAccount(deployerKey);
export const treasury: Address = "0x00000000000000000000000000000000000000A1";
export const relayer: Address = "0x00000000000000000000000000000000000000A2";
export const owner: Address = "0x00000000000000000000000000000000000000A3";

export type Fixture = { anvil: Anvil; local: LocalDeployment; folder: string; stop(): Promise<void> };

/** Starts a new anvil whose clock began an hour ago, with everything deployed. */
export async function startLocalDeployment(options: Partial<LocalDeploymentOptions> = {}): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-deploy-test-"));
  const anvil = await startAnvil({ args: ["--timestamp", String(Math.floor(Date.now() / 1000) - 3600)] });
  const local = await deployLocal({
    rpcUrl: anvil.url,
    deployer,
    treasury,
    owner,
    relayer,
    manifestPath: join(folder, "manifest.json"),
    ...options,
  });
  return {
    anvil,
    local,
    folder,
    async stop() {
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
