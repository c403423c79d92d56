import type { PinnedContract, ProxyPin } from "@slipway/protocol/manifest";
import { type Address, getAddress, type Hex, hexToBigInt, keccak256, parseAbi } from "viem";
import { callRpc, createChainReader, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import { readProxySlots } from "./readProxySlots.ts";

const beaconAbi = parseAbi(["function implementation() view returns (address)"]);

/**
 * Describes a contract's current state for a manifest: its code, and for an EIP-1967 proxy the implementation's code.
 *
 * @param role - Its purpose, for the error.
 * @throws DeployError `contract_unsuitable` when there is no contract, or a proxy without an implementation.
 */
export async function pinContract(client: RpcClient, address: Address, role: string): Promise<PinnedContract> {
  const [runtimeCodeHash, [slots]] = await Promise.all([
    readCodeHash(client, address, role),
    readProxySlots(client, [address], "latest"),
  ]);
  const pinned = { address: getAddress(address), runtime_code_hash: runtimeCodeHash };
  if (slots === undefined || (isEmpty(slots.implementation) && isEmpty(slots.beacon))) {
    if (slots === undefined || isEmpty(slots.admin)) return pinned;
    throw new DeployError("contract_unsuitable", `the ${role} ${address} has a proxy admin but no implementation`);
  }
  const beacon = isEmpty(slots.beacon) ? null : getAddress(slots.beacon);
  const implementation =
    beacon === null
      ? getAddress(slots.implementation)
      : await createChainReader(client).readContract({
          address: beacon,
          abi: beaconAbi,
          functionName: "implementation",
        });
  const proxy: ProxyPin = {
    implementation,
    implementation_code_hash: await readCodeHash(client, implementation, `implementation of the ${role}`),
    beacon,
    admin: isEmpty(slots.admin) ? null : getAddress(slots.admin),
  };
  return { ...pinned, proxy };
}

async function readCodeHash(client: RpcClient, address: Address, role: string): Promise<Hex> {
  const code = (await callRpc(client, "eth_getCode", [address, "latest"])) as Hex;
  if (code === "0x") throw new DeployError("contract_unsuitable", `the ${role} ${address} has no code on this chain`);
  return keccak256(code);
}

function isEmpty(slot: Hex): boolean {
  return hexToBigInt(slot) === 0n;
}
