import type { PinnedContract, ProxyPin } from "@slipway/protocol/manifest";
import { type Address, getAddress, type Hex, hexToBigInt, keccak256, parseAbi } from "viem";
import { call } from "./call.ts";
import { chainReader } from "./chainReader.ts";
import { DeployError } from "./deployError.ts";
import { readProxySlots } from "./readProxySlots.ts";
import type { RpcClient } from "./rpcRequest.ts";

const beaconAbi = parseAbi(["function implementation() view returns (address)"]);

/**
 * A contract as it is now, for a manifest: its code, and if it is an EIP-1967 proxy the code behind it.
 *
 * @param role - What it is meant to be, for the error.
 * @throws DeployError `contract_unsuitable` when there is no contract, or a proxy with nothing behind it.
 */
export async function pinContract(client: RpcClient, address: Address, role: string): Promise<PinnedContract> {
  const [runtimeCodeHash, [slots]] = await Promise.all([
    codeHash(client, address, role),
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
      : await chainReader(client).readContract({ address: beacon, abi: beaconAbi, functionName: "implementation" });
  const proxy: ProxyPin = {
    implementation,
    implementation_code_hash: await codeHash(client, implementation, `implementation of the ${role}`),
    beacon,
    admin: isEmpty(slots.admin) ? null : getAddress(slots.admin),
  };
  return { ...pinned, proxy };
}

async function codeHash(client: RpcClient, address: Address, role: string): Promise<Hex> {
  const code = (await call(client, "eth_getCode", [address, "latest"])) as Hex;
  if (code === "0x") throw new DeployError("contract_unsuitable", `the ${role} ${address} has no code on this chain`);
  return keccak256(code);
}

function isEmpty(slot: Hex): boolean {
  return hexToBigInt(slot) === 0n;
}
