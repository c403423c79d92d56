import { smaller } from "@slipway/protocol/bigints";
import type { Chain, RpcRequest } from "../../../chain/chain.ts";
import { createEndpointClient } from "../../../chain/createEndpointClient.ts";
import { assertNotBehind, comparedEndpoints } from "../../../chain/readAtEndpoints.ts";
import { type HeadBlock, readHead } from "../../../chain/readChain.ts";

/** A chain whose requests go to one endpoint, or to any if the service has only one. */
export type EndpointChain = Pick<Chain, "client" | "request" | "simulationSupport">;

/**
 * Returns the chain at two endpoints of different hosts: the keeper relies only on values that both return. Null while only
 * one of several hosts responds. With one host, nothing confirms its answers.
 */
export function getConfirmingChains(chain: Chain): EndpointChain[] | null {
  const { rpc, simulationSupport } = chain;
  if (rpc.hosts === 1) return [chain];
  const endpoints = rpc.listIndependent().slice(0, comparedEndpoints);
  if (endpoints.length < comparedEndpoints) return null;
  return endpoints.map((endpoint) => {
    const client = createEndpointClient(rpc, endpoint);
    return { client, request: client.request as RpcRequest, simulationSupport };
  });
}

/**
 * Asserts that a head is not a block of the past. At such a block, a real one, both endpoints return earnings that were
 * paid since: each claim would cost gas and pay nothing.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function assertNewest(
  confirming: readonly EndpointChain[],
  chainId: number,
  head: HeadBlock,
): Promise<void> {
  const reads = await Promise.all(
    confirming.map(async (chain) => ({ read: null, newest: await readHead(chain, chainId) })),
  );
  assertNotBehind(reads, head);
}

/** Returns the smallest value at each position. */
export const takeSmallest = (lists: readonly (readonly bigint[])[]): bigint[] =>
  lists.reduce<bigint[]>((least, list) => least.map((value, i) => smaller(value, list[i] ?? 0n)), [...lists[0]!]);
