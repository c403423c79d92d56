import { RpcError } from "@slipway/server/chain/rpcError";
import type { Raw, RpcCall, RpcPool } from "@slipway/server/chain/rpcPool";

/** An endpoint that returns the result of `answer`, and records its requests, batch by batch. */
export function fakeRpc(answer: (call: RpcCall) => unknown) {
  const asked: RpcCall[][] = [];
  const batchSettled: RpcPool["batchSettled"] = async (calls) => {
    asked.push([...calls]);
    return calls.map((call) => answer(call) as Raw<unknown> | RpcError);
  };
  const batch: RpcPool["batch"] = async (calls) => {
    const answers = await batchSettled(calls);
    for (const one of answers) if (one instanceof RpcError) throw one;
    return answers as Raw<unknown>[];
  };
  const rpc = { endpoints: 1, batch, batchSettled, other: () => null } as unknown as RpcPool;
  return { rpc, asked };
}

export const hex = (value: number, digits = 0) => `0x${value.toString(16).padStart(digits, "0")}`;
export const toHash = (block: number) => hex(block, 64);
