import { type Abi, encodeFunctionData, type Hex, prepareEncodeFunctionData } from "viem";

type Prepared = { abi: Abi; functionName: Hex };

/** Prepared functions by ABI and name; null for an overloaded name. ABIs are constants of the code. */
const preparedByAbi = new WeakMap<Abi, Map<string, Prepared | null>>();

function prepare(abi: Abi, functionName: string): Prepared | null {
  const sameName = abi.filter((entry) => entry.type === "function" && entry.name === functionName);
  if (sameName.length !== 1) return null;
  return prepareEncodeFunctionData({ abi: sameName as Abi, functionName }) as unknown as Prepared;
}

/**
 * Encodes a call like viem's `encodeFunctionData`, but hashes each function signature only once. `abi` must not be
 * changed afterwards.
 *
 * @throws viem's errors for an unknown function and for arguments that do not match.
 */
export const encodeCall: typeof encodeFunctionData = (parameters) => {
  const { abi, functionName, args } = parameters as { abi: Abi; functionName: string; args?: readonly unknown[] };
  let byName = preparedByAbi.get(abi);
  if (byName === undefined) {
    byName = new Map();
    preparedByAbi.set(abi, byName);
  }
  let prepared = byName.get(functionName);
  if (prepared === undefined) {
    prepared = prepare(abi, functionName);
    byName.set(functionName, prepared);
  }
  return prepared === null ? encodeFunctionData(parameters) : encodeFunctionData({ ...prepared, args } as never);
};
