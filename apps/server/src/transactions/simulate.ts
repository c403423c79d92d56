import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import type { AssetChange, UnsignedResult } from "@slipway/protocol/transaction";
import { type Hex, hexToBigInt, numberToHex, zeroAddress } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import type { Head } from "../chain/readChain.ts";
import { toChainUnavailable, awaitChain, findRpcError } from "../chain/rpcError.ts";
import { toRevertError } from "./decodeRevert.ts";

/** What is to be simulated, as it will be signed; `to` left out for a contract creation. */
export type Call = { from: Hex; to?: Hex; data: Hex; value: bigint };

/** A simulation that succeeded. */
export type Simulation = {
  method: UnsignedResult["simulation"]["method"];
  blockNumber: bigint;
  gasUsed: bigint;
  /** For a creation: the runtime code that would be deployed. */
  returnData: Hex;
  logs: readonly SimulatedLog[];
  toAssetChanges: AssetChange[];
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

/** What a node has turned out not to simulate by eth_simulateV1; asked once for each chain. */
type Support = { calls: boolean; creations: boolean };
const supportOf = new WeakMap<object, Support>();

/**
 * Runs a transaction on the state of a block, as if it were the next one, without sending it: by `eth_simulateV1` where
 * the node has it for this kind of transaction, else by `eth_call` with `eth_estimateGas` and the logs of a trace.
 *
 * @throws SlipwayError `simulation_reverted` or the contract error's own code (`pool_taken`, `salt_taken`, ...) when it
 * would fail; `chain_unavailable`.
 */
export async function simulate(chain: Pick<Chain, "request">, call: Call, head: Head): Promise<Simulation> {
  const support = supportOf.get(chain.request) ?? { calls: true, creations: true };
  supportOf.set(chain.request, support);
  const kind = call.to === undefined ? "creations" : "calls";
  if (support[kind]) {
    try {
      return await simulateBlock(chain, call, head);
    } catch (error) {
      const rpc = findRpcError(error);
      // anvil refuses a creation as invalid parameters: "missing keys: ["to"]".
      const isMissing = rpc?.kind === "unsupported" || (kind === "creations" && rpc?.code === invalidParams);
      if (isMissing) support[kind] = false;
      // Parameters that a node does not understand are no verdict on the transaction: ask in the older way.
      else if (rpc?.code !== invalidParams) throw toChainUnavailable(error);
    }
  }
  return await simulateByCall(chain, call, head);
}

/** JSON-RPC 2.0, 5.1. */
const invalidParams = -32602;

async function simulateBlock(chain: Pick<Chain, "request">, call: Call, head: Head): Promise<Simulation> {
  const block = {
    // The next block's time, not the node's idea of it: deadlines are judged as they will be.
    blockOverrides: { time: numberToHex(head.timestamp + 1n) },
    calls: [toRpcCall(call)],
  };
  const answer = await chain
    .request({
      method: "eth_simulateV1",
      params: [{ blockStateCalls: [block], traceTransfers: true }, numberToHex(head.number)],
    })
    .catch((error: unknown) => {
      const rpc = findRpcError(error);
      if (rpc?.kind === "unsupported" || rpc?.code === invalidParams) throw error;
      return throwRefusal(error, head);
    });
  const parsed = simulatedBlocks.safeParse(answer);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node's simulation has an unknown form.");
  const result = parsed.data[0].calls[0];
  if (hexToBigInt(result.status) !== 1n) {
    const data = result.returnData === "0x" ? (result.error?.data ?? "0x") : result.returnData;
    throw toRevertError(data, head.number);
  }
  return {
    method: "eth_simulateV1",
    blockNumber: head.number,
    // Refunds lower what is paid, not what is needed on the way.
    gasUsed: hexToBigInt(result.maxUsedGas ?? result.gasUsed),
    returnData: result.returnData,
    logs: result.logs,
    toAssetChanges: assetChanges(result.logs),
  };
}

async function simulateByCall(chain: Pick<Chain, "request">, call: Call, head: Head): Promise<Simulation> {
  const at = numberToHex(head.number);
  const params = [toRpcCall(call), at];
  const [returned, estimate, logs] = await Promise.all([
    chain.request({ method: "eth_call", params }).catch((error: unknown) => throwRefusal(error, head)),
    chain.request({ method: "eth_estimateGas", params }).catch((error: unknown) => throwRefusal(error, head)),
    // Constructors of ours move nothing.
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
    toAssetChanges: assetChanges(logs),
  };
}

/** A refusal that carries revert data is the contract's; any other is the endpoint's. */
async function throwRefusal(error: unknown, head: Head): Promise<never> {
  const rpc = findRpcError(error);
  if (rpc?.kind === "refused" && (rpc.code === 3 || /revert/i.test(rpc.message))) {
    throw toRevertError(parseRevertData(rpc.data), head.number);
  }
  return await awaitChain(Promise.reject(error));
}

/** Some nodes wrap the data: {data: "0x..."}. */
function parseRevertData(data: unknown): Hex {
  const found = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
  const parsed = hex.safeParse(found);
  return parsed.success ? parsed.data : "0x";
}

/** Without a gas price, so that an unfunded wallet can be simulated: what it lacks is told apart, in `issues`. */
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
 * The logs that a call would leave, by `debug_traceCall`, frame by frame; none where the node has no tracer.
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

/** What a reverted frame logged is undone with it. */
function collectLogs(frame: TracedFrame): SimulatedLog[] {
  if (frame.error !== undefined) return [];
  return [...(frame.logs ?? []), ...(frame.calls ?? []).flatMap(collectLogs)];
}

/** A log as a simulation or a trace gives it. */
export type SimulatedLog = { address: Hex; topics: readonly Hex[]; data: Hex };

/** keccak256("Transfer(address,address,uint256)"). */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Where `traceTransfers` of eth_simulateV1 logs native transfers. */
const nativeTransferEmitter = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/**
 * What changed hands, in order: ERC-20 transfers by their events, native ones by the node's trace, with the zero address
 * as their asset. Transfers of nothing are left out, and so are those of ERC-721 (four topics).
 */
export function assetChanges(logs: readonly SimulatedLog[]): AssetChange[] {
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
