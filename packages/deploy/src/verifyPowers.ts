import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, parseAbi, zeroAddress } from "viem";
import { createChainReader, type RpcClient } from "./createRpcClient.ts";
import type { CreationCheck } from "./verifyCreations.ts";

const abi = parseAbi([
  "function owner() view returns (address)",
  "function proposedOwner() view returns (address)",
  "function proposedTreasury() view returns (address)",
]);

/**
 * Checks the accounts that have a power over the deployment now. The creation transactions do not show them, because
 * their holders can change after the creation:
 * - the owner of the Uniswap factory, who can take up to a quarter of the fees of every pool;
 * - a proposed owner of the gas station and a proposed treasury, who can accept at any time.
 *
 * Partners of an earlier treasury have no power: the factory reads only the shares that the present treasury has set.
 *
 * @throws DeployError `rpc_unavailable`, or the node's error.
 */
export async function verifyPowers(client: RpcClient, manifest: Manifest): Promise<CreationCheck[]> {
  const { uniswap, gas_station: station } = manifest;
  const read = (address: string, functionName: "owner" | "proposedOwner" | "proposedTreasury") =>
    createChainReader(client).readContract({ address: address as Address, abi, functionName });
  const deployments = [
    { prefix: "", deployment: manifest.current },
    ...manifest.history.map((deployment, index) => ({ prefix: `history.${index}.`, deployment })),
  ];
  const checks = [
    { name: "uniswap.factory.owner", expected: uniswap.factory_owner, actual: read(uniswap.factory.address, "owner") },
    ...(station === null
      ? []
      : [
          {
            name: "gas_station.proposed_owner",
            expected: zeroAddress,
            actual: read(station.address, "proposedOwner"),
          },
        ]),
    ...deployments.map(({ prefix, deployment }) => ({
      name: `${prefix}fee_locker.proposed_treasury`,
      expected: zeroAddress,
      actual: read(deployment.fee_locker.address, "proposedTreasury"),
    })),
  ];
  return await Promise.all(
    checks.map(async ({ name, expected, actual }) => ({ name, expected, actual: await actual })),
  );
}
