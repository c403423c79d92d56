import { decodeFunctionData, decodeFunctionResult, encodeFunctionResult, type Hex, multicall3Abi } from "viem";
import type { Call } from "./rpcProxy.ts";

/** One read of a contract in an aggregate, with the result that the chain returned. */
export type AggregatedRead = { target: Hex; callData: Hex; returnData: Hex };

const aggregateSelector = "82ad56cb";

/**
 * Changes results of contract reads in the response to an `eth_call` of Multicall3, deployed or as creation code. For
 * `RpcProxy.answerWith`.
 *
 * @param change - Returns the changed result of a read; undefined keeps the result.
 */
export function changeReads(change: (read: AggregatedRead) => Hex | undefined) {
  return ({ method, params }: Call, real: object): object | undefined => {
    const { data, input = data } = (params?.[0] ?? {}) as { data?: Hex; input?: Hex };
    // Creation code has the selector before the arguments too.
    const start = input?.lastIndexOf(aggregateSelector) ?? -1;
    const { result } = real as { result?: Hex };
    if (method !== "eth_call" || start < 0 || result === undefined) return undefined;
    const [calls] = decodeFunctionData({ abi: multicall3Abi, data: `0x${input!.slice(start)}` }).args as unknown as [
      { target: Hex; callData: Hex }[],
    ];
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: result });
    const changed = results.map(({ success, returnData }, index) => ({
      success,
      returnData: change({ ...calls[index]!, returnData }) ?? returnData,
    }));
    return { result: encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: changed }) };
  };
}
