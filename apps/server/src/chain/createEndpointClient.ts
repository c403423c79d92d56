import { createPublicClient, custom, type PublicClient } from "viem";
import { budgetTimeoutMs } from "./createChain.ts";
import type { RpcPool } from "./rpcPool.ts";

/** Creates a client whose requests use only one endpoint of the pool, for a comparison of endpoints. */
export function createEndpointClient(rpc: RpcPool, endpoint: number): PublicClient {
  const request = (call: Parameters<RpcPool["request"]>[0]) => rpc.request(call, { endpoint, budgetTimeoutMs });
  return createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) });
}
