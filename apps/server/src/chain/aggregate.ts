import { encodeCall } from "@slipway/protocol/encodeCall";
import {
  type Abi,
  AbiDecodingZeroDataError,
  type ContractFunctionParameters,
  decodeFunctionResult,
  getContractError,
  type Hex,
  multicall3Abi,
  RawContractError,
} from "viem";
import type { Chain } from "./chain.ts";

/** What one contract returned, or why it did not: as viem's `multicall` reports it. */
export type ReadResult =
  | { status: "success"; result: unknown; error?: undefined }
  | { status: "failure"; error: Error; result?: undefined };

/** Where a read runs: the block, and code that accounts have for this one call. */
export type ReadPlace = { block: Hex | "latest"; codes?: Record<Hex, { code: Hex }> };

/** Of an address without code. One for all: an error of viem's with its stack costs as much as the whole read. */
const noData: ReadResult = { status: "failure", error: new AbiDecodingZeroDataError() };

/**
 * Reads several contracts by Multicall3 in one `eth_call`. Each result is a value or an error. As viem's `multicall`, in
 * about a third of its time: signatures are hashed once, and an address without code makes no errors of its own.
 *
 * @throws what the request throws.
 */
export async function aggregate(
  client: Chain["client"],
  multicall3: Hex,
  contracts: readonly ContractFunctionParameters[],
  { block, codes }: ReadPlace,
): Promise<ReadResult[]> {
  const calls = contracts.map((contract) => ({
    target: contract.address,
    allowFailure: true,
    callData: encodeCall(contract as never),
  }));
  const data = encodeCall({ abi: multicall3Abi, functionName: "aggregate3", args: [calls] });
  const answer = await client.request({
    method: "eth_call",
    params: [{ to: multicall3, data }, block, ...(codes === undefined ? [] : [codes])] as never,
  });
  const answers = decodeAnswers(answer);
  if (answers instanceof Error) return contracts.map(() => ({ status: "failure", error: answers }));
  return contracts.map((contract, index) => toResult(contract, answers[index]!));
}

type CallAnswer = { success: boolean; returnData: Hex };

/** The error of an answer that is not Multicall3's. */
function decodeAnswers(data: Hex): readonly CallAnswer[] | Error {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data });
  } catch (error) {
    return error as Error;
  }
}

const returnsData = (abi: Abi, functionName: string) =>
  abi.some((entry) => entry.type === "function" && entry.name === functionName && entry.outputs.length > 0);

function toResult(contract: ContractFunctionParameters, { success, returnData }: CallAnswer): ReadResult {
  const { abi, address, functionName, args } = contract as { abi: Abi } & ContractFunctionParameters;
  if (success && returnData === "0x" && returnsData(abi, functionName)) return noData;
  try {
    if (!success) throw new RawContractError({ data: returnData });
    const result = decodeFunctionResult({ abi, functionName, args, data: returnData } as never);
    return { status: "success", result };
  } catch (error) {
    return {
      status: "failure",
      error: getContractError(error as never, { abi, address, functionName, args } as never),
    };
  }
}
