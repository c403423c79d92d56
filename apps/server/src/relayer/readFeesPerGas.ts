import { smaller } from "@slipway/protocol/bigints";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Chain, RpcRequest } from "../chain/chain.ts";
import { createEndpointClient } from "../chain/createEndpointClient.ts";
import { type Head, readHead } from "../chain/readChain.ts";
import { type FeesPerGas, getFeesPerGas } from "./relayerKey.ts";

/**
 * Returns the fees that the relayer offers at a block: the lowest fees of the block and of two RPC endpoints, because a
 * single endpoint could otherwise make the relayer pay any tip. Fees that are too low only delay a transaction.
 *
 * @throws SlipwayError `chain_unavailable` if several endpoints are configured and none responds.
 */
export async function readFeesPerGas(
  { rpc }: Pick<Chain, "rpc">,
  chainId: number,
  head: Pick<Head, "gasPriceInWei" | "baseFeeInWei">,
): Promise<FeesPerGas> {
  if (rpc.hosts === 1) return getFeesPerGas(head);
  const endpoints = rpc.listIndependent().slice(0, 2);
  const results = await Promise.allSettled(
    endpoints.map(async (endpoint) => {
      const { request } = createEndpointClient(rpc, endpoint);
      return getFeesPerGas(await readHead({ request: request as RpcRequest }, chainId));
    }),
  );
  const answered = results.filter((result) => result.status === "fulfilled").map(({ value }) => value);
  if (answered.length === 0) throw new SlipwayError("chain_unavailable");
  const lowest = [getFeesPerGas(head), ...answered].reduce((a, b) => ({
    maxFee: smaller(a.maxFee, b.maxFee),
    priorityFee: smaller(a.priorityFee, b.priorityFee),
  }));
  return { ...lowest, priorityFee: smaller(lowest.priorityFee, lowest.maxFee) };
}
