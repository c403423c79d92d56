let lastId = 0;

/**
 * One JSON-RPC call to the local chain.
 *
 * @throws Error with the node's message when it answers an error, or when it cannot be reached in `timeoutMs`
 */
export async function rpcRequest<T = unknown>(
  url: string,
  method: string,
  params: unknown[] = [],
  timeoutMs = 10_000,
): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result as T;
}
