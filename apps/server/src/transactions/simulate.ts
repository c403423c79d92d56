import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import { transferTopic } from "@slipway/protocol/rawLog";
import type { AssetChange, UnsignedResult } from "@slipway/protocol/transaction";
import { type Hex, hexToBigInt, numberToHex, zeroAddress } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import type { Head } from "../chain/readChain.ts";
import { toChainUnavailable, awaitChain, findRpcError } from "../chain/rpcError.ts";
import { toRevertError } from "./decodeRevert.ts";

/** A transaction to simulate, as it will be signed; without `to` for a contract creation. */
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
};

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const simulatedBlocks = z.tuple([
  z.object({
    calls: z.tuple([
      z.object({
        status: hex,
        returnData: hex,
        gasUsed: hex,
        maxUsedGas: hex.optional(),
        logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })).default([]),
        error: z.object({ data: hex.optional() }).optional(),
      }),
    ]),
  }),
]);

/**
 * Simulates a transaction on the state of a block: by `eth_simulateV1` where the node supports it for this kind of
 * transaction, else by `eth_call`, `eth_estimateGas` and the logs of `debug_traceCall`.
 *
 * @throws SlipwayError `simulation_reverted` or the code of the contract's error (`pool_taken`, `salt_taken`, ...) when
 * the transaction would fail; `chain_unavailable`.
 */
export async function simulate(
  chain: Pick<Chain, "request" | "simulationSupport">,
  call: Call,
  head: Head,
): Promise<Simulation> {
  const support = chain.simulationSupport;
  const kind = call.to === undefined ? "creations" : "calls";
  if (support[kind]) {
    try {
      return await simulateBlock(chain, call, head);
    } catch (error) {
      const rpc = findRpcError(error);
      // anvil rejects a creation with invalid parameters: "missing keys: ["to"]".
      const isUnsupported = rpc?.kind === "unsupported" || (kind === "creations" && rpc?.code === invalidParams);
      if (isUnsupported) support[kind] = false;
      // Invalid parameters say nothing about the transaction: fall back to eth_call.
      else if (rpc?.code !== invalidParams) throw toChainUnavailable(error);
    }
  }
  return await simulateByCall(chain, call, head);
}

/** JSON-RPC 2.0, 5.1. */
const invalidParams = -32602;

async function simulateBlock(chain: Pick<Chain, "request">, call: Call, head: Head): Promise<Simulation> {
  const block = {
    // The time of the next block, so that deadlines are checked as they will be on the chain.
    blockOverrides: { time: numberToHex(head.timestamp + 1n) },
    calls: [toRpcCall(call)],
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
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node's simulation has an unknown form.");
  const result = parsed.data[0].calls[0];
  if (hexToBigInt(result.status) !== 1n) {
    const data = result.returnData === "0x" ? (result.error?.data ?? "0x") : result.returnData;
    throw toRevertError(data, head.number);
  }
  return {
    method: "eth_simulateV1",
    blockNumber: head.number,
    // The maximum before refunds: a gas limit must cover it.
    gasUsed: hexToBigInt(result.maxUsedGas ?? result.gasUsed),
    returnData: result.returnData,
    logs: result.logs,
    assetChanges: toAssetChanges(result.logs),
  };
}

async function simulateByCall(chain: Pick<Chain, "request">, call: Call, head: Head): Promise<Simulation> {
  const at = numberToHex(head.number);
  const params = [toRpcCall(call), at];
  const [returned, estimate, logs] = await Promise.all([
    chain.request({ method: "eth_call", params }).catch((error: unknown) => throwRefusal(error, head)),
    chain.request({ method: "eth_estimateGas", params }).catch((error: unknown) => throwRefusal(error, head)),
    // Our constructors transfer no assets.
    call.to === undefined ? Promise.resolve([]) : traceLogs(chain, params),
  ]);
  const parsed = z.tuple([hex, hex]).safeParse([returned, estimate]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node's simulation has an unknown form.");
  return {
    method: "eth_call",
    blockNumber: head.number,
    gasUsed: hexToBigInt(parsed.data[1]),
    returnData: parsed.data[0],
    logs,
    assetChanges: toAssetChanges(logs),
  };
}

/** Throws the revert of the contract, or `chain_unavailable` when the endpoint failed. */
async function throwRefusal(error: unknown, head: Head): Promise<never> {
  const rpc = findRpcError(error);
  if (rpc?.kind === "refused" && (rpc.code === 3 || /revert/i.test(rpc.message))) {
    throw toRevertError(parseRevertData(rpc.data), head.number);
  }
  return await awaitChain(Promise.reject(error));
}

/** Parses revert data; some nodes wrap it: {data: "0x..."}. */
function parseRevertData(data: unknown): Hex {
  const found = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
  const parsed = hex.safeParse(found);
  return parsed.success ? parsed.data : "0x";
}

/** Without a gas price, so that an unfunded wallet can be simulated: `issues` reports the missing balance. */
function toRpcCall(call: Call): Record<string, Hex> {
  return {
    from: call.from,
    ...(call.to === undefined ? {} : { to: call.to }),
    input: call.data,
    value: numberToHex(call.value),
  };
}

type TracedFrame = {
  error?: string;
  logs?: { address: Hex; topics: Hex[]; data: Hex }[];
  calls?: TracedFrame[];
};

const traceOptions = { tracer: "callTracer", tracerConfig: { withLog: true } };

/**
 * Reads the logs of a call by `debug_traceCall`, frame by frame; empty where the node has no tracer.
 *
 * @param params - As for eth_call: the call and the block.
 */
export async function traceLogs(chain: Pick<Chain, "request">, params: readonly unknown[]): Promise<SimulatedLog[]> {
  try {
    const frame = await chain.request({ method: "debug_traceCall", params: [...params, traceOptions] });
    return collectLogs(frame as TracedFrame);
  } catch {
    return [];
  }
}

/** Collects the logs of a frame and its subcalls; a reverted frame has none. */
function collectLogs(frame: TracedFrame): SimulatedLog[] {
  if (frame.error !== undefined) return [];
  return [...(frame.logs ?? []), ...(frame.calls ?? []).flatMap(collectLogs)];
}

/** A log of a simulation or a trace. */
export type SimulatedLog = { address: Hex; topics: readonly Hex[]; data: Hex };

/** The emitter of native transfers in eth_simulateV1 with `traceTransfers`. */
const nativeTransferEmitter = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/**
 * Lists asset transfers in order: ERC-20 by their events, native by the node's trace with the zero address as asset.
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
