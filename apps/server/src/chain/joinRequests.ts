import type { RpcRequest } from "./chain.ts";
import { RpcError } from "./rpcError.ts";
import type { BatchOptions, Raw, RpcPool } from "./rpcPool.ts";

type Waiting = {
  call: { method: string; params: readonly unknown[] };
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};

/**
 * A request function that sends everything asked within one turn of the event loop as one JSON-RPC batch, so that what
 * a handler asks together costs one round trip. Each call still succeeds or fails alone.
 *
 * @param options.patienceMs - How long a batch may wait for the budget; see `BatchOptions`.
 */
export function joinRequests(
  pool: Pick<RpcPool, "batchSettled">,
  options: Pick<BatchOptions, "patienceMs"> = {},
): RpcRequest {
  let waiting: Waiting[] = [];

  const flush = async () => {
    const batch = waiting;
    waiting = [];
    let answers: (Raw<unknown> | RpcError)[];
    try {
      answers = await pool.batchSettled(
        batch.map(({ call }) => call),
        options,
      );
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index];
      if (answer instanceof RpcError) reject(answer);
      else resolve(answer);
    }
  };

  return ({ method, params }) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ call: { method, params: params ?? [] }, resolve, reject });
    });
}
