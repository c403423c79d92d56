import { getChainFacts } from "@slipway/protocol/chains";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { checksummed } from "@slipway/protocol/primitives";
import type { Action, UnsignedResult, WalletCall, Warning } from "@slipway/protocol/transaction";
import { decodeFunctionResult, type Hex, numberToHex, parseAbi, zeroAddress } from "viem";
import type { Chain } from "../chain/chain.ts";
import type { Head, HeadBlock, ProvenManifest } from "../chain/readChain.ts";
import { findRpcError, toChainUnavailable } from "../chain/rpcError.ts";
import type { BatchSimulation, Call, Simulation } from "./simulate.ts";
import { getExpiry } from "./validity.ts";

export type Issues = NonNullable<UnsignedResult["issues"]>;

/** The common parts of all results. */
export type ResultParts = {
  action: Action;
  proven: ProvenManifest;
  head: Head;
  /** The Unix seconds of the request. */
  now: bigint;
  requestId: string;
  step: UnsignedResult["step"];
  /** The next request after the receipt, or null. */
  next: string | null;
  warnings?: Warning[];
  expected?: UnsignedResult["expected"];
  quote?: UnsignedResult["quote"];
};

type Funding = {
  nativeBalance: bigint;
  ethUsd: number | null;
  issues?: Partial<Pick<Issues, "allowance" | "balance">>;
};

const assetChangesUnknown: Warning = {
  code: "asset_changes_unknown",
  message:
    "The chain's endpoint does not report the transaction's transfers: asset_changes is empty and was not checked.",
};

/** The parts of a result with a transaction. */
export type ReadyParts = ResultParts &
  Funding & {
    call: Call;
    simulation: Simulation;
    /** Gas for the parent chain; null without a parent chain. */
    l1Gas: bigint | null;
  };

/** Creates the result with a transaction to sign. */
export function createReadyResult(parts: ReadyParts): UnsignedResult {
  const { call, simulation, l1Gas, proven } = parts;
  const limit = computeGasLimit(simulation, l1Gas);
  return {
    ...createReadyFields(parts, simulation, { limit, l1Gas, value: call.value }),
    transaction: {
      chainId: numberToHex(proven.manifest.chain_id),
      from: checksummed(call.from),
      ...(call.to === undefined ? {} : { to: checksummed(call.to) }),
      data: call.data,
      value: numberToHex(call.value),
      gas: numberToHex(limit),
    },
  };
}

/** The parts of a result with a batch of calls by one wallet. */
export type ReadyBatchParts = ResultParts &
  Funding & {
    calls: readonly (Call & { to: Hex })[];
    simulation: BatchSimulation;
    /** Gas for the parent chain of each call; null without a parent chain. */
    l1Gas: readonly (bigint | null)[];
  };

/**
 * Creates the result with a batch of calls, and with a transaction if the batch has one call. `fees` are the fees of
 * the calls sent one by one; only the wallet knows the additional cost of its batch.
 */
export function createReadyBatch(parts: ReadyBatchParts): UnsignedResult & { calls: WalletCall[] } {
  const { calls, simulation, l1Gas } = parts;
  const batch = calls.map(({ to, data, value }) => ({ to: checksummed(to), data, value: numberToHex(value) }));
  if (calls.length === 1)
    return { ...createReadyResult({ ...parts, call: calls[0]!, l1Gas: l1Gas[0]! }), calls: batch };
  const limits = simulation.gasUsedByCall.map((gasUsed, index) =>
    computeGasLimit({ gasUsed, method: simulation.method }, l1Gas[index]!),
  );
  const total = {
    limit: sum(limits),
    l1Gas: l1Gas.includes(null) ? null : sum(l1Gas as readonly bigint[]),
    value: sum(calls.map(({ value }) => value)),
  };
  return { ...createReadyFields(parts, simulation, total), transaction: null, calls: batch };
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

function createReadyFields(
  parts: ResultParts & Funding,
  simulation: Simulation,
  { limit, l1Gas, value }: { limit: bigint; l1Gas: bigint | null; value: bigint },
) {
  const fees = computeFees(limit, parts.head.gasPriceInWei, l1Gas, parts.ethUsd);
  const neededNative = BigInt(fees.total_wei) + value;
  const warnings = [...(parts.warnings ?? []), ...(simulation.areAssetChangesKnown ? [] : [assetChangesUnknown])];
  return {
    ...createCommonFields({ ...parts, warnings }),
    status: "ready" as const,
    simulation: {
      ok: true,
      block_number: simulation.blockNumber.toString(),
      gas_used: simulation.gasUsed.toString(),
      method: simulation.method,
      asset_changes: simulation.assetChanges,
    },
    issues: {
      allowance: parts.issues?.allowance ?? null,
      balance: parts.issues?.balance ?? null,
      native_balance:
        parts.nativeBalance < neededNative
          ? { asset: zeroAddress, needed: neededNative.toString(), available: parts.nativeBalance.toString() }
          : null,
    },
    fees,
  };
}

/** Creates the result of a request that needs no transaction. `simulation`: the simulation that showed this, if any. */
export function createNothingToDoResult(parts: ResultParts & { simulation?: Simulation }): UnsignedResult {
  return {
    ...createCommonFields(parts),
    status: "nothing_to_do",
    transaction: null,
    simulation: {
      ok: true,
      block_number: parts.head.number.toString(),
      gas_used: (parts.simulation?.gasUsed ?? 0n).toString(),
      method: parts.simulation?.method ?? "eth_call",
      asset_changes: [],
    },
  };
}

function createCommonFields(parts: ResultParts) {
  const { action, step, next, proven, head } = parts;
  return {
    action,
    step,
    next,
    manifest: { sha256: proven.sha256, chain_id: proven.manifest.chain_id },
    block_number: head.number.toString(),
    expires_at: getExpiry(parts.now),
    warnings: parts.warnings ?? [],
    request_id: parts.requestId,
    ...(parts.expected === undefined ? {} : { expected: parts.expected }),
    ...(parts.quote === undefined ? {} : { quote: parts.quote }),
  };
}

/** Nitro's precompile that estimates the cost of a transaction's bytes on the parent chain. */
const nodeInterface = "0x00000000000000000000000000000000000000c8";
const nodeInterfaceAbi = parseAbi([
  "function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)",
]);

/** Minimum margin above the simulated gas: the first swap of a block writes more storage than a later swap. */
const minMarginGas = 30_000n;

/**
 * Reads the gas of a transaction for the parent chain, in gas of this chain; null without a parent chain.
 *
 * @throws SlipwayError `chain_unavailable` if the endpoint fails: without this gas the gas limit would be too low.
 */
export async function readL1Gas(
  chain: Pick<Chain, "request">,
  chainId: number,
  call: Call,
  head: HeadBlock,
): Promise<bigint | null> {
  if (!getChainFacts(chainId).hasParentChain) return null;
  const data = encodeCall({
    abi: nodeInterfaceAbi,
    functionName: "gasEstimateL1Component",
    args: [call.to ?? zeroAddress, call.to === undefined, call.data],
  });
  try {
    const response = await chain.request({
      method: "eth_call",
      params: [{ from: call.from, to: nodeInterface, data }, numberToHex(head.number)],
    });
    // Without the precompile, the node is not Nitro, e.g. the node of a local chain with the same id.
    if (response === "0x") return null;
    const [gas] = decodeFunctionResult({
      abi: nodeInterfaceAbi,
      functionName: "gasEstimateL1Component",
      data: response as Hex,
    });
    return gas;
  } catch (error) {
    const rpc = findRpcError(error);
    if (rpc?.retryable || rpc?.kind === "overBudget") throw toChainUnavailable(error);
    return null;
  }
}

/**
 * Computes the gas limit: 1.2 times the simulated gas, rounded up, and at least 30,000 more. Adds gas for the parent
 * chain first, if the simulation does not include it.
 */
export function computeGasLimit(simulation: Pick<Simulation, "gasUsed" | "method">, l1Gas: bigint | null): bigint {
  // eth_estimateGas includes the gas for the parent chain, eth_simulateV1 does not.
  const used = simulation.gasUsed + (simulation.method === "eth_simulateV1" ? (l1Gas ?? 0n) : 0n);
  const margin = (used + 4n) / 5n;
  return used + (margin > minMarginGas ? margin : minMarginGas);
}

/** Computes the maximum cost of a transaction at the current gas price. `ethUsd` is null when unknown. */
export function computeFees(
  limit: bigint,
  gasPriceInWei: bigint,
  l1Gas: bigint | null,
  ethUsd: number | null,
): NonNullable<UnsignedResult["fees"]> {
  const totalWei = limit * gasPriceInWei;
  return {
    gas_limit: limit.toString(),
    gas_price: gasPriceInWei.toString(),
    l1_gas: l1Gas === null ? null : l1Gas.toString(),
    total_wei: totalWei.toString(),
    total_usd: ethUsd === null ? null : (Number(totalWei) / 1e18) * ethUsd,
  };
}
