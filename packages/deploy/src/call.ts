import { DeployError } from "./deployError.ts";
import type { RpcClient } from "./rpcRequest.ts";

/**
 * One JSON-RPC call. An answer that is an error of the node's is thrown as it is; an endpoint that does not answer
 * becomes DeployError `rpc_unavailable`, without its URL, which may hold a key.
 */
export async function call(client: RpcClient, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await client.request({ method, params });
  } catch (error) {
    if (isTransportFailure(error)) {
      const reason = (error as { shortMessage?: string }).shortMessage ?? (error as Error).message;
      throw new DeployError("rpc_unavailable", `${method}: the endpoint does not answer (${reason})`);
    }
    throw error;
  }
}

const transportFailures = new Set(["HttpRequestError", "TimeoutError", "WebSocketRequestError", "SocketClosedError"]);

function isTransportFailure(error: unknown): boolean {
  return error instanceof Error && transportFailures.has(error.name);
}
