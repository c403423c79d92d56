import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import { transferTopic } from "@slipway/protocol/rawLog";
import type { AssetChange, UnsignedResult } from "@slipway/protocol/transaction";
import { type Hex, hexToBigInt, numberToHex, zeroAddress } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import type { HeadBlock } from "../chain/readChain.ts";
import { awaitChain, findRpcError, toChainUnavailable } from "../chain/rpcError.ts";
import { toRevertError } from "./decodeRevert.ts";

/** A transaction to simulate, with the values to sign. Without `to` for a contract creation. */
export type Call = { from: Hex; to?: Hex; data: Hex; value: bigint };

/** The result of a successful simulation. */
export type Simulation = {
  method: UnsignedResult["simulation"]["method"];
  blockNumber: bigint;
  gasUsed: bigint;
  /** For a creation: the runtime code. */
  returnData: Hex;
  logs: readonly SimulatedLog[];
  assetChanges: AssetChange[];
  /** False if the node does not report the transaction's transfers; `assetChanges` is then empty. */
  areAssetChangesKnown: boolean;
};

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const callAnswers = z.tuple([hex, hex]);
const simulatedLog = z.object({ address: hex, topics: z.array(hex), data: hex });
const simulatedCall = z.object({
  status: hex,
  returnData: hex,
  gasUsed: hex,
  maxUsedGas: hex.optional(),
  logs: z.array(simulatedLog).default([]),
  error: z.object({ data: hex.optional() }).optional(),
});
const simulatedBlocks = z.tuple([z.object({ calls: z.array(simulatedCall) })]);

/**
 * Simulates a transaction on the state of a block. Uses `eth_simulateV1` if the node supports it for this kind of
 * transaction, else `eth_call`, `eth_estimateGas` and, if supported, the logs of `debug_traceCall`.
 *
 * @throws SlipwayError `simulation_reverted` or the code of the contract's error (`pool_taken`, `salt_taken`, ...) if
 * the transaction would fail; `chain_unavailable`.
 */
export async function simulate(
  chain: Pick<Chain, "request" | "simulationSupport">,
  call: Call,
  head: HeadBlock,
): Promise<Simulation> {
  const support = chain.simulationSupport;
  const kind = call.to === undefined ? "creations" : "calls";
  if (support[kind] === false) return await simulateByCall(chain, call, head);
  // While support of eth_simulateV1 is unknown, tries both methods in one round trip.
  const byCall = support[kind] === null ? simulateByCall(chain, call, head) : null;
  byCall?.catch(() => undefined);
  try {
    const simulation = await simulateBlock(chain, call, head);
    support[kind] = true;
    return simulation;
  } catch (error) {
    const rpc = findRpcError(error);
    // anvil rejects a creation with invalid parameters: "missing keys: ["to"]".
    const isUnsupported = rpc?.kind === "unsupported" || (kind === "creations" && rpc?.code === invalidParams);
    if (isUnsupported) support[kind] = false;
    // An error about parameters gives no result for the transaction: falls back to eth_call.
    else if (rpc?.code !== invalidParams) throw toChainUnavailable(error);
    return await (byCall ?? simulateByCall(chain, call, head));
  }
}

/** JSON-RPC 2.0, 5.1. */
const invalidParams = -32602;

async function simulateBlock(chain: Pick<Chain, "request">, call: Call, head: HeadBlock): Promise<Simulation> {
  const [result] = await requestBlock(chain, [call], head);
  requireSuccess(result!, head);
  return toSimulation([result!], head);
}

/**
 * The result of a simulated batch. Each call counts as a separate transaction, with its gas before refunds: storage
 * that a swap sets and clears (an allowance, the router's wrapped native) is refunded only at the end.
 */
export type BatchSimulation = Simulation & { gasUsedByCall: bigint[]; returnDataByCall: Hex[]; readData: Hex[] };

/**
 * Simulates calls in order on the state of a block, and views on the state after them. Needs `eth_simulateV1`.
 *
 * @param reads - The views. Their results are in `readData`.
 * @param balances - Overrides of native balances in wei.
 * @throws SlipwayError `simulation_reverted` or the code of the contract's error if a call would fail,
 * `chain_unavailable`, also if the node does not support `eth_simulateV1`.
 */
export async function simulateBatch(
  chain: Pick<Chain, "request">,
  calls: readonly Call[],
  reads: readonly Call[],
  head: HeadBlock,
  balances: Record<Hex, bigint> = {},
): Promise<BatchSimulation> {
  const results = await requestBlock(chain, [...calls, ...reads], head, balances).catch((error: unknown) => {
    const rpc = findRpcError(error);
    if (rpc?.kind !== "unsupported" && rpc?.code !== invalidParams) throw toChainUnavailable(error);
    throw new SlipwayError("chain_unavailable", "The chain's endpoint cannot simulate a batch (eth_simulateV1).", {
      cause: error,
    });
  });
  const batch = results.slice(0, calls.length);
  for (const [index, result] of batch.entries()) {
    requireSuccess(result, head, calls.length === 1 ? {} : { call: index });
  }
  const readData = results.slice(calls.length).map(({ status, returnData }) => {
    if (hexToBigInt(status) !== 1n) throw new SlipwayError("chain_unavailable", "A contract could not be read.");
    return returnData;
  });
  const gasUsedByCall = batch.map(getGasBeforeRefunds);
  const gasUsed = gasUsedByCall.reduce((sum, gas) => sum + gas, 0n);
  const returnDataByCall = batch.map(({ returnData }) => returnData);
  return { ...toSimulation(batch, head), gasUsed, gasUsedByCall, returnDataByCall, readData };
}

type SimulatedCall = z.infer<typeof simulatedCall>;

/** Returns the gas before refunds, which a gas limit must cover, if the node reports it; otherwise the used gas. */
const getUsedGas = ({ maxUsedGas, gasUsed }: SimulatedCall) => hexToBigInt(maxUsedGas ?? gasUsed);

/** Returns an upper bound of the gas before refunds: at most a fifth is refunded (EIP-3529). */
const getGasBeforeRefunds = ({ maxUsedGas, gasUsed }: SimulatedCall) =>
  maxUsedGas === undefined ? (hexToBigInt(gasUsed) * 5n + 3n) / 4n : hexToBigInt(maxUsedGas);

/** Combines the results of calls into one simulation, with the return data of the last call. */
function toSimulation(results: readonly SimulatedCall[], head: HeadBlock): Simulation {
  const logs = results.flatMap((result) => result.logs);
  return {
    method: "eth_simulateV1",
    blockNumber: head.number,
    gasUsed: results.reduce((sum, result) => sum + getUsedGas(result), 0n),
    returnData: results.at(-1)!.returnData,
    logs,
    assetChanges: toAssetChanges(logs),
    areAssetChangesKnown: true,
  };
}

/** @throws SlipwayError The contract's error, for a failed call. */
function requireSuccess(result: SimulatedCall, head: HeadBlock, details: Record<string, unknown> = {}): void {
  if (hexToBigInt(result.status) === 1n) return;
  const data = result.returnData === "0x" ? (result.error?.data ?? "0x") : result.returnData;
  throw toRevertError(data, head.number, details);
}

async function requestBlock(
  chain: Pick<Chain, "request">,
  calls: readonly Call[],
  head: HeadBlock,
  balances: Record<Hex, bigint> = {},
): Promise<SimulatedCall[]> {
  const overrides = Object.entries(balances).map(([account, wei]) => [account, { balance: numberToHex(wei) }]);
  const block = {
    // The time of the next block, so that deadline checks give the same result as on the chain.
    blockOverrides: { time: numberToHex(head.timestamp + 1n) },
    ...(overrides.length === 0 ? {} : { stateOverrides: Object.fromEntries(overrides) }),
    calls: calls.map(toRpcCall),
  };
  const response = await chain
    .request({
      method: "eth_simulateV1",
      params: [{ blockStateCalls: [block], traceTransfers: true }, numberToHex(head.number)],
    })
    .catch((error: unknown) => {
      const rpc = findRpcError(error);
      if (rpc?.kind === "unsupported" || rpc?.code === invalidParams) throw error;
      return throwRefusal(error, head);
    });
  const parsed = simulatedBlocks.safeParse(response);
  if (!parsed.success || parsed.data[0].calls.length !== calls.length) {
    throw new SlipwayError("chain_unavailable", "The node's simulation has an unknown form.");
  }
  return parsed.data[0].calls;
}

async function simulateByCall(chain: Pick<Chain, "request">, call: Call, head: HeadBlock): Promise<Simulation> {
  const at = numberToHex(head.number);
  const params = [toRpcCall(call), at];
  const [returned, estimate, logs] = await Promise.all([
    chain.request({ method: "eth_call", params }).catch((error: unknown) => throwRefusal(error, head)),
    chain.request({ method: "eth_estimateGas", params }).catch((error: unknown) => throwRefusal(error, head)),
    // Our constructors transfer no assets.
    call.to === undefined ? [] : traceLogs(chain, params),
  ]);
  const parsed = callAnswers.safeParse([returned, estimate]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node's simulation has an unknown form.");
  return {
    method: "eth_call",
    blockNumber: head.number,
    gasUsed: hexToBigInt(parsed.data[1]),
    returnData: parsed.data[0],
    logs: logs ?? [],
    assetChanges: toAssetChanges(logs ?? []),
    areAssetChangesKnown: logs !== null,
  };
}

/** Throws the contract's revert, or `chain_unavailable` if the endpoint failed. */
async function throwRefusal(error: unknown, head: HeadBlock): Promise<never> {
  const rpc = findRpcError(error);
  if (rpc?.kind === "refused" && (rpc.code === 3 || /revert/i.test(rpc.message))) {
    throw toRevertError(parseRevertData(rpc.data), head.number);
  }
  return await awaitChain(Promise.reject(error));
}

/** Parses revert data. Some nodes wrap the data: {data: "0x..."}. */
function parseRevertData(data: unknown): Hex {
  const found = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
  const parsed = hex.safeParse(found);
  return parsed.success ? parsed.data : "0x";
}

/** Converts a call, without a gas price, so that an unfunded wallet can be simulated (`issues` reports its balance). */
function toRpcCall(call: Call): Record<string, Hex> {
  return {
    from: call.from,
    ...(call.to === undefined ? {} : { to: call.to }),
    input: call.data,
    value: numberToHex(call.value),
  };
}

type TracedFrame = { error?: string | undefined; logs?: SimulatedLog[] | undefined; calls?: TracedFrame[] | undefined };

const tracedFrame: z.ZodType<TracedFrame> = z.object({
  error: z.string().optional(),
  logs: z.array(simulatedLog).optional(),
  get calls() {
    return z.array(tracedFrame).optional();
  },
});

const traceOptions = { tracer: "callTracer", tracerConfig: { withLog: true } };

/**
 * Reads the logs of a call by `debug_traceCall`, frame by frame. Null if the node has no tracer, or a tracer without
 * logs: each of our calls emits at least one log.
 *
 * @param params - The parameters of eth_call: the call and the block.
 * @throws SlipwayError `chain_unavailable` for a temporary failure of the tracer.
 */
async function traceLogs(chain: Pick<Chain, "request">, params: readonly unknown[]): Promise<SimulatedLog[] | null> {
  let answer: unknown;
  try {
    answer = await chain.request({ method: "debug_traceCall", params: [...params, traceOptions] });
  } catch (error) {
    const rpc = findRpcError(error);
    // Some endpoints reject a method with an HTTP status.
    const isRefused = rpc?.code !== undefined && [401, 403, 404, 405].includes(rpc.code);
    if (rpc?.kind === "unsupported" || rpc?.kind === "refused" || isRefused) return null;
    throw toChainUnavailable(error);
  }
  const frame = tracedFrame.safeParse(answer);
  const logs = frame.success ? collectLogs(frame.data) : [];
  return logs.length === 0 ? null : logs;
}

/** Collects the logs of a frame and its subcalls. A reverted frame has no logs. */
function collectLogs(frame: TracedFrame): SimulatedLog[] {
  if (frame.error !== undefined) return [];
  return [...(frame.logs ?? []), ...(frame.calls ?? []).flatMap(collectLogs)];
}

/** A log of a simulation or a trace. */
export type SimulatedLog = { address: Hex; topics: readonly Hex[]; data: Hex };

/** The emitter of native transfers in eth_simulateV1 with `traceTransfers`. */
const nativeTransferEmitter = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/**
 * Lists asset transfers in order: ERC-20 from events, native from the node's trace with the zero address as asset.
 * Omits zero amounts and ERC-721 transfers (four topics).
 */
export function toAssetChanges(logs: readonly SimulatedLog[]): AssetChange[] {
  const changes: AssetChange[] = [];
  for (const { address, topics, data } of logs) {
    const [topic, from, to] = topics;
    if (topic !== transferTopic || topics.length !== 3 || data.length !== 66) continue;
    const amount = hexToBigInt(data);
    if (amount === 0n) continue;
    const isNative = address.toLowerCase() === nativeTransferEmitter;
    changes.push({
      asset: isNative ? zeroAddress : checksummed(address),
      from: checksummed(`0x${from!.slice(26)}`),
      to: checksummed(`0x${to!.slice(26)}`),
      amount: amount.toString(),
    });
  }
  return changes;
}
