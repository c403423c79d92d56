import type { UnsignedResult } from "@slipway/protocol/transaction";
import { decodeFunctionResult, encodeFunctionData, type Hex, numberToHex, parseAbi, zeroAddress } from "viem";
import type { Chain } from "../chain/chain.ts";
import { chainUnavailable, rpcErrorOf } from "../chain/rpcError.ts";
import type { Head } from "../chain/readChain.ts";
import type { Call, Simulation } from "./simulate.ts";

/** Nitro's precompile that tells what a transaction's bytes cost on the parent chain. */
const nodeInterface = "0x00000000000000000000000000000000000000c8";
const nodeInterfaceAbi = parseAbi([
  "function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)",
]);
/** Chains of the Arbitrum family; a local chain may share an id and just does not answer. */
const arbitrumChains = new Set([4663, 46630]);

/** At the least this much above the simulated use: a block's first swap writes more than one simulated beside another. */
const smallestMargin = 30_000n;

/**
 * The parent chain's part of a transaction, in gas of this chain; null where there is none.
 *
 * @throws SlipwayError `chain_unavailable` when the endpoint fails: a gas limit without this part would be too low.
 */
export async function readL1Gas(
  chain: Pick<Chain, "request">,
  chainId: number,
  call: Call,
  head: Head,
): Promise<bigint | null> {
  if (!arbitrumChains.has(chainId)) return null;
  const data = encodeFunctionData({
    abi: nodeInterfaceAbi,
    functionName: "gasEstimateL1Component",
    args: [call.to ?? zeroAddress, call.to === undefined, call.data],
  });
  try {
    const answer = await chain.request({
      method: "eth_call",
      params: [{ from: call.from, to: nodeInterface, data }, numberToHex(head.number)],
    });
    const [gas] = decodeFunctionResult({
      abi: nodeInterfaceAbi,
      functionName: "gasEstimateL1Component",
      data: answer as Hex,
    });
    return gas;
  } catch (error) {
    const rpc = rpcErrorOf(error);
    if (rpc?.retryable || rpc?.kind === "crowded") throw chainUnavailable(error);
    return null;
  }
}

/**
 * The gas limit: 1.2 times the simulated use, rounded up, and at least 30,000 more. What a call simulation leaves out,
 * the parent chain's part, is added first.
 */
export function gasLimit(simulation: Pick<Simulation, "gasUsed" | "method">, l1Gas: bigint | null): bigint {
  // eth_estimateGas counts the parent chain's part, eth_simulateV1 does not.
  const used = simulation.gasUsed + (simulation.method === "eth_simulateV1" ? (l1Gas ?? 0n) : 0n);
  const margin = (used + 4n) / 5n;
  return used + (margin > smallestMargin ? margin : smallestMargin);
}

/** What a transaction can cost at the most at the current gas price. `ethUsd` null: unknown. */
export function transactionFees(
  limit: bigint,
  gasPriceInWei: bigint,
  l1Gas: bigint | null,
  ethUsd: number | null,
): NonNullable<UnsignedResult["fees"]> {
  const totalWei = limit * gasPriceInWei;
  return {
    gas_limit: limit.toString(),
    gas_price: gasPriceInWei.toString(),
    l1_gas: l1Gas === null ? null : l1Gas.toString(),
    total_wei: totalWei.toString(),
    total_usd: ethUsd === null ? null : (Number(totalWei) / 1e18) * ethUsd,
  };
}
