import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, erc20Abi, getAddress, parseAbi } from "viem";
import { createChainReader, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import { pinContract } from "./pinContract.ts";

const poolAbi = parseAbi([
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function fee() view returns (uint24)",
]);

/**
 * Describes the pool that prices the native asset for a manifest: its fee and the stablecoin on its other side.
 *
 * @throws DeployError `contract_unsuitable` when it is not a pool of the wrapped native asset.
 */
export async function describeEthUsdPool(
  client: RpcClient,
  pool: Address,
  wrappedNative: Address,
): Promise<NonNullable<Manifest["eth_usd"]>> {
  const reader = createChainReader(client);
  let tokens: readonly [Address, Address];
  let fee: number;
  try {
    const [token0, token1, poolFee] = await Promise.all([
      reader.readContract({ address: pool, abi: poolAbi, functionName: "token0" }),
      reader.readContract({ address: pool, abi: poolAbi, functionName: "token1" }),
      reader.readContract({ address: pool, abi: poolAbi, functionName: "fee" }),
    ]);
    tokens = [token0, token1];
    fee = poolFee;
  } catch (cause) {
    throw new DeployError("contract_unsuitable", `the ETH/USD pool ${pool} is not a Uniswap v3 pool`, { cause });
  }
  if (!tokens.includes(getAddress(wrappedNative))) {
    throw new DeployError(
      "contract_unsuitable",
      `the ETH/USD pool ${pool} does not hold the wrapped native ${wrappedNative}`,
    );
  }
  const stablecoin = tokens[0] === getAddress(wrappedNative) ? tokens[1] : tokens[0];
  const [pinned, symbol, decimals] = await Promise.all([
    pinContract(client, stablecoin, "stablecoin"),
    reader.readContract({ address: stablecoin, abi: erc20Abi, functionName: "symbol" }),
    reader.readContract({ address: stablecoin, abi: erc20Abi, functionName: "decimals" }),
  ]);
  return {
    pool: getAddress(pool),
    fee,
    stablecoin: pinned,
    stablecoin_symbol: symbol,
    stablecoin_decimals: decimals,
  };
}
