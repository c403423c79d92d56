import type { GasStationToken } from "@slipway/protocol/manifest";
import { type Address, domainSeparator, erc20Abi, type Hex, parseAbi } from "viem";
import { createChainReader, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import { pinContract } from "./pinContract.ts";

const permitAbi = parseAbi([
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function nonces(address) view returns (uint256)",
  "function version() view returns (string)",
  "function eip712Domain() view returns (bytes1, string name, string version, uint256, address, bytes32, uint256[])",
]);

/**
 * Describes a token that the gas station accepts for a manifest. `permit` is true only when the token's own domain
 * separator is the hash of its name and version, so that a permit signed for it is accepted.
 *
 * @throws DeployError `contract_unsuitable` when it is not an ERC-20 with symbol and decimals.
 */
export async function describeGasStationToken(
  client: RpcClient,
  chainId: number,
  address: Address,
): Promise<GasStationToken> {
  const reader = createChainReader(client);
  const pinned = await pinContract(client, address, "gas-station token");
  let symbol: string;
  let decimals: number;
  try {
    [symbol, decimals] = await Promise.all([
      reader.readContract({ address, abi: erc20Abi, functionName: "symbol" }),
      reader.readContract({ address, abi: erc20Abi, functionName: "decimals" }),
    ]);
  } catch (cause) {
    throw new DeployError("contract_unsuitable", `the gas-station token ${address} has no symbol or no decimals`, {
      cause,
    });
  }
  const permitDomain = await findPermitDomain(client, chainId, address);
  return { ...pinned, symbol, decimals, permit: permitDomain !== null, permit_domain: permitDomain };
}

async function findPermitDomain(
  client: RpcClient,
  chainId: number,
  address: Address,
): Promise<{ name: string; version: string } | null> {
  const reader = createChainReader(client);
  let separator: Hex;
  try {
    [separator] = await Promise.all([
      reader.readContract({ address, abi: permitAbi, functionName: "DOMAIN_SEPARATOR" }),
      reader.readContract({ address, abi: permitAbi, functionName: "nonces", args: [address] }),
    ]);
  } catch {
    return null;
  }
  for (const domain of await listPossibleDomains(client, address)) {
    if (domainSeparator({ domain: { ...domain, chainId, verifyingContract: address } }) === separator) return domain;
  }
  return null;
}

/**
 * Lists the possible domains: ERC-5267 if the token supports it, otherwise its name with its version or the usual "1".
 */
async function listPossibleDomains(client: RpcClient, address: Address): Promise<{ name: string; version: string }[]> {
  const reader = createChainReader(client);
  const domains: { name: string; version: string }[] = [];
  const [stated, name, version] = await Promise.allSettled([
    reader.readContract({ address, abi: permitAbi, functionName: "eip712Domain" }),
    reader.readContract({ address, abi: erc20Abi, functionName: "name" }),
    reader.readContract({ address, abi: permitAbi, functionName: "version" }),
  ]);
  if (stated.status === "fulfilled") domains.push({ name: stated.value[1], version: stated.value[2] });
  if (name.status === "fulfilled") {
    if (version.status === "fulfilled") domains.push({ name: name.value, version: version.value });
    domains.push({ name: name.value, version: "1" });
  }
  return domains;
}
