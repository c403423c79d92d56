import { http } from "viem";

/**
 * The one thing that deployment and verification need of a client: EIP-1193's `request`. A viem client has it, so has
 * the server's pool of endpoints.
 */
export type RpcClient = {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
};

/** A JSON-RPC client of one HTTP endpoint that joins calls of the same moment into one batch. */
export function createRpcClient(url: string): RpcClient {
  const transport = http(url, { batch: { batchSize: 50, wait: 0 }, retryCount: 3, timeout: 20_000 })({});
  return { request: (call) => transport.request(call as never) };
}
