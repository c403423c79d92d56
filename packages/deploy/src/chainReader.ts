import { createPublicClient, custom, type PublicClient } from "viem";
import type { RpcClient } from "./rpcRequest.ts";

/** viem's reading functions over an RPC client. */
export function chainReader(client: RpcClient): PublicClient {
  return createPublicClient({
    transport: custom({ request: (request) => client.request(request) }, { retryCount: 0 }),
  });
}
