import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, Raw, RpcPool } from "../../chain/rpcPool.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import { type Header, readHeader, toQuantity } from "./headers.ts";

export type LogFilter = {
  address?: string | readonly string[];
  topics?: readonly (string | readonly string[] | null)[];
};

/** Addresses in one filter; more are asked for in several requests. */
const maxAddresses = 1000;
/** Blocks behind which a node is not merely a little late. */
const farBehind = 1_000;

/** Logs of a range, and its last block, from one node in one answer. */
export type LogsOfRange = { logs: RawLog[]; end: Header };

/**
 * eth_getLogs of a range. Where there is another endpoint it is asked too, and what the two say differently is settled
 * by the blocks' receipts: a node whose log index has a hole leaves logs out without saying so.
 *
 * @throws RpcError range when a node refuses the size: the caller chooses its ranges by it.
 */
export async function fetchLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<LogsOfRange> {
  let answeredBy = 0;
  const onAnswer = (endpoint: number) => {
    answeredBy = endpoint;
  };
  const first = await askForLogs(rpc, from, to, filter, { signal, onAnswer });
  if (first === null) throw new RpcError("transient", `RPC: block ${to} is not there`);
  const other = rpc.endpoints === 1 ? null : rpc.other(answeredBy);
  if (other === null) return first;
  const second = await askForLogs(rpc, from, to, filter, { signal, endpoint: other });
  if (second === null) {
    if (await isFarBehind(rpc, other, to, signal)) return first;
    throw new RpcError("transient", `RPC: endpoint ${other} has not block ${to} yet`);
  }
  if (second.end.hash !== first.end.hash) throw new RpcError("transient", `RPC: nodes disagree about block ${to}`);
  return { logs: await settleLogs(rpc, first.logs, second.logs, filter, signal), end: first.end };
}

/** Whether an endpoint is still syncing: it has no opinion, and is not waited for. */
async function isFarBehind(rpc: RpcPool, endpoint: number, block: number, signal?: AbortSignal): Promise<boolean> {
  const [answer] = await rpc.batch([{ method: "eth_getBlockByNumber", params: ["latest", false] }], {
    signal,
    endpoint,
  });
  const head = readHeader(answer!);
  return head === null || head.number < block - farBehind;
}

/**
 * One node's answer; null when it has not the range's last block, which is asked for in the same request: a node that
 * lags answers with what it has and no error. A log outside the range makes the answer malformed.
 */
async function askForLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  options: BatchOptions,
): Promise<LogsOfRange | null> {
  const { address } = filter;
  const chunks: LogFilter["address"][] =
    Array.isArray(address) && address.length > maxAddresses
      ? Array.from({ length: Math.ceil(address.length / maxAddresses) }, (_, i) =>
          address.slice(i * maxAddresses, (i + 1) * maxAddresses),
        )
      : [address];
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  const [last, ...answers] = await rpc.batch(
    [
      { method: "eth_getBlockByNumber", params: [range.toBlock, false] },
      ...chunks.map((chunk) => ({ method: "eth_getLogs", params: [{ ...range, ...filter, address: chunk }] })),
    ],
    options,
  );
  const end = readHeader(last!);
  if (end?.number !== to) return null;
  const logs = answers.flatMap((answer) => readLogs(answer));
  for (const log of logs) {
    const block = Number(log.blockNumber);
    if (!(block >= from && block <= to))
      throw new RpcError("malformed", "RPC: a log lies outside of the range asked for");
    if (block === to && log.blockHash !== end.hash)
      throw new RpcError("transient", `RPC: block ${to} changed meanwhile`);
  }
  return { logs, end };
}

/**
 * Checks that an answer is a list of mined logs and gives it with lower-case addresses.
 *
 * @throws RpcError malformed; a log that was `removed` or is pending makes the answer one.
 */
export function readLogs(raw: Raw<unknown>): RawLog[] {
  if (!Array.isArray(raw)) throw new RpcError("malformed", "RPC: logs are not a list");
  for (const entry of raw as (Partial<RawLog> & { removed?: boolean })[]) {
    if (
      typeof entry !== "object" ||
      entry === null ||
      typeof entry.address !== "string" ||
      typeof entry.data !== "string" ||
      !Array.isArray(entry.topics) ||
      typeof entry.blockNumber !== "string" ||
      typeof entry.blockHash !== "string" ||
      typeof entry.transactionHash !== "string" ||
      typeof entry.logIndex !== "string" ||
      entry.removed === true
    ) {
      throw new RpcError("malformed", "RPC: a log has not the shape of one");
    }
    entry.address = entry.address.toLowerCase();
  }
  return raw as RawLog[];
}

/** Puts logs into chain order and drops the second of two with the same place. */
export function sortLogs(logs: RawLog[]): RawLog[] {
  // Nearly every node sends them so.
  if (areInOrder(logs)) return logs;
  const keyed = logs.map((log) => ({ log, block: Number(log.blockNumber), index: Number(log.logIndex) }));
  keyed.sort((a, b) => a.block - b.block || a.index - b.index);
  const unique: RawLog[] = [];
  let previous: { block: number; index: number } | undefined;
  for (const entry of keyed) {
    if (previous && previous.block === entry.block && previous.index === entry.index) continue;
    unique.push(entry.log);
    previous = entry;
  }
  return unique;
}

function areInOrder(logs: readonly RawLog[]): boolean {
  let [lastBlock, lastIndex] = [-1, -1];
  for (const log of logs) {
    const block = Number(log.blockNumber);
    const index = Number(log.logIndex);
    // Also false when one of them is no number.
    if (!(block > lastBlock || (block === lastBlock && index > lastIndex))) return false;
    lastBlock = block;
    lastIndex = index;
  }
  return true;
}

/**
 * The logs of a range of which two nodes gave their answers. Blocks about which they say different things are read from
 * their receipts, which prove themselves complete (fetchBlockLogs).
 *
 * @throws RpcError
 */
export async function settleLogs(
  rpc: RpcPool,
  first: readonly RawLog[],
  second: readonly RawLog[],
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<RawLog[]> {
  const disputed = disputedBlocks(first, second);
  if (disputed.size === 0) return [...first];
  const calls = [...disputed].map((block) => ({ method: "eth_getBlockByNumber", params: [toQuantity(block), false] }));
  const headers = (await rpc.batch(calls, { signal })).map((answer) => {
    const header = readHeader(answer);
    if (header === null) throw new RpcError("transient", "RPC: a final block is not there");
    return header;
  });
  const settled = (await fetchBlockLogs(rpc, headers, signal)).flatMap((block) => block.logs);
  const isAsked = matcher(filter);
  return [...first.filter((log) => !disputed.has(Number(log.blockNumber))), ...settled.filter(isAsked)];
}

/** Blocks of which one answer has a log that the other has not. */
function disputedBlocks(first: readonly RawLog[], second: readonly RawLog[]): Set<number> {
  const disputed = new Set<number>();
  const placeOf = (log: RawLog) => `${log.blockHash}${Number(log.logIndex)}`;
  const [inFirst, inSecond] = [new Set(first.map(placeOf)), new Set(second.map(placeOf))];
  for (const log of first) if (!inSecond.has(placeOf(log))) disputed.add(Number(log.blockNumber));
  for (const log of second) if (!inFirst.has(placeOf(log))) disputed.add(Number(log.blockNumber));
  return disputed;
}

/** Whether eth_getLogs would give this log: by address and first topic, all that our filters ask for. */
function matcher(filter: LogFilter): (log: RawLog) => boolean {
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat());
  const topics = [filter.topics?.[0] ?? []].flat();
  return (log) =>
    (addresses === null || addresses.has(log.address)) && (topics.length === 0 || topics.includes(log.topics[0] ?? ""));
}
