import { createPublicClient, custom, http, type PublicClient } from "viem";
import { DeployError } from "./deployError.ts";

/**
 * The part of a client that deployment and verification use: EIP-1193's `request`. A viem client and the server's pool
 * of endpoints both have it.
 */
export type RpcClient = {
  request(request: { method: string; params?: unknown }): Promise<unknown>;
};

/** Creates a JSON-RPC client of one HTTP endpoint that batches concurrent calls. */
export function createRpcClient(url: string): RpcClient {
  const transport = http(url, { batch: { batchSize: 50, wait: 0 }, retryCount: 3, timeout: 20_000 })({});
  return { request: (request) => transport.request(request as never) };
}

/**
 * Executes one JSON-RPC call. An error response of the node is thrown unchanged; an endpoint that does not respond
 * becomes DeployError `rpc_unavailable`, without its URL, which may contain a key.
 */
export async function callRpc(client: RpcClient, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await client.request({ method, params });
  } catch (error) {
    if (isTransportFailure(error)) {
      const reason = (error as { shortMessage?: string }).shortMessage ?? (error as Error).message;
      throw new DeployError("rpc_unavailable", `${method}: the endpoint does not respond (${reason})`);
    }
    throw error;
  }
}

const transportFailures = new Set(["HttpRequestError", "TimeoutError", "WebSocketRequestError", "SocketClosedError"]);

function isTransportFailure(error: unknown): boolean {
  return error instanceof Error && transportFailures.has(error.name);
}

/** Creates viem's read functions on an RPC client. */
export function createChainReader(client: RpcClient): PublicClient {
  return createPublicClient({
    transport: custom({ request: (request) => client.request(request) }, { retryCount: 0 }),
  });
}
