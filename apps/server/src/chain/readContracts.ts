import { SlipwayError } from "@slipway/protocol/errors";
import type { ContractFunctionParameters, MulticallReturnType } from "viem";
import type { Chain } from "./chain.ts";
import { chainUnavailable, fromChain, rpcErrorOf } from "./chainUnavailable.ts";

/**
 * Reads many contracts at one block in one call, without a multicall contract on the chain (its code travels along).
 * Each result tells its own failure, so that one contract that reverts hides no other.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function tryReadContracts<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "client">,
  blockNumber: bigint,
  contracts: T,
): Promise<MulticallReturnType<T, true>> {
  const results = await fromChain(
    chain.client.multicall({
      contracts: contracts as never,
      blockNumber,
      deployless: true,
      allowFailure: true,
      batchSize: 0,
    }),
  );
  return failTogether(results as never[]) as MulticallReturnType<T, true>;
}

/**
 * As `tryReadContracts` for contracts that have no reason to revert.
 *
 * @throws SlipwayError `chain_unavailable` when any read fails.
 */
export async function readContracts<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "client">,
  blockNumber: bigint,
  contracts: T,
): Promise<MulticallReturnType<T, false>> {
  const results = (await tryReadContracts(chain, blockNumber, contracts)) as { result?: unknown; error?: Error }[];
  return results.map(({ result, error }) => {
    if (error) throw new SlipwayError("chain_unavailable", "A contract could not be read.", { cause: error });
    return result;
  }) as unknown as MulticallReturnType<T, false>;
}

/** viem reports a lost endpoint as the failure of every read; that is one failure, of the chain. */
function failTogether<T>(results: readonly (T & { error?: unknown })[]): readonly T[] {
  for (const { error } of results) if (rpcErrorOf(error) !== null) throw chainUnavailable(error);
  return results;
}
