import type { RawLog } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import type { FetchContext, FetchedRange } from "./fetchedRange.ts";
import { type FetchedLaunch, fetchPreLaunchStates, parseLaunches } from "./fetchLaunches.ts";
import { fetchLogs } from "./fetchLogs.ts";
import { readHeader, toQuantity } from "./headers.ts";
import { sortLogs } from "./readLogs.ts";

/**
 * A range of blocks that are older than the reorg window, by eth_getLogs: the watched logs, the senders of trades, and
 * only the headers whose times the logs do not have. `launches` are all launches at or below `to` that are not reduced.
 *
 * @throws RpcError range when the node refuses the size.
 */
export async function fetchFinalRange(
  { rpc, state, events, signal }: FetchContext,
  from: number,
  to: number,
  launches: readonly FetchedLaunch[],
): Promise<FetchedRange> {
  const watched = new Set(state.emitters.keys());
  for (const launch of launches)
    for (const address of [launch.token, launch.pool, launch.splitter]) watched.add(address);
  const filter = { address: [...watched], topics: [events.topics] };
  const { logs: fetched, end } = await fetchLogs(rpc, from, to, filter, signal);
  const logs = sortLogs(fetched.filter((log) => watched.has(log.address)));
  const pools = new Set([...state.tokens.values()].map((token) => token.pool));
  for (const launch of launches) pools.add(launch.pool);
  const trades = logs.filter((log) => log.topics[0] === swapTopic && pools.has(log.address));
  const { senders, blocks } = await fetchSenders(rpc, trades, signal);
  blocks.set(to, end);
  checkHashes(logs, blocks);
  const found = parseLaunches(state, logs);
  checkLaunches(found, launches, from);
  return {
    from,
    to,
    end: { hash: end.hash, time: end.time },
    headers: null,
    logs,
    times: await fetchTimes(rpc, logs, blocks, signal),
    senders,
    splitterDeployments: await fetchDeployments(rpc, state, found, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, found, logs, signal),
  };
}

function checkHashes(logs: readonly RawLog[], blocks: ReadonlyMap<number, { hash: string }>): void {
  for (const log of logs) {
    const block = blocks.get(Number(log.blockNumber));
    if (block && block.hash !== log.blockHash)
      throw new RpcError("transient", "RPC: nodes disagree about a final block");
  }
}

/** The launches were requested before, with another range: the answers of a node that leaves logs out differ. */
function checkLaunches(found: readonly FetchedLaunch[], known: readonly FetchedLaunch[], from: number): void {
  const expected = known.filter((launch) => launch.blockNumber >= from);
  const isSame = found.length === expected.length && found.every((launch, i) => launch.token === expected[i]!.token);
  if (!isSame) throw new RpcError("malformed", `RPC: two answers differ about the launches from block ${from} on`);
}

/** Times of blocks with logs: from the logs where the node gives them, otherwise from as few headers as possible. */
async function fetchTimes(
  rpc: RpcPool,
  logs: readonly RawLog[],
  blocks: ReadonlyMap<number, { time: number }>,
  signal?: AbortSignal,
): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  for (const [number, block] of blocks) times.set(number, block.time);
  const missing = new Set<number>();
  for (const log of logs) {
    const number = Number(log.blockNumber);
    if (times.has(number)) continue;
    if (log.blockTimestamp === undefined) missing.add(number);
    else times.set(number, Number(log.blockTimestamp));
  }
  const numbers = [...missing].filter((number) => !times.has(number));
  const answers = await rpc.batch(
    numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [toQuantity(number), false] })),
    { signal },
  );
  for (const [i, answer] of answers.entries()) {
    const header = readHeader(answer);
    if (!header) throw new RpcError("transient", `RPC: block ${numbers[i]} is missing`);
    times.set(numbers[i]!, header.time);
  }
  return times;
}

/** From this number of trades of a block on, the whole block has fewer bytes than the transactions one by one. */
const wholeBlockFrom = 3;

/** Senders of transactions, and times and hashes of the blocks that were read on the way. */
type Senders = { senders: Map<string, string>; blocks: Map<number, { hash: string; time: number }> };

type RawTransaction = { hash?: string; from?: string; blockHash?: string | null };
type RawFullBlock = { hash?: string; timestamp?: string; transactions?: RawTransaction[] } | null;

/**
 * The senders of the transactions of trades, by whichever costs less for a block: the block with its transactions, or
 * each transaction.
 *
 * @param trades - Logs in chain order.
 * @throws RpcError transient when one is missing.
 */
async function fetchSenders(rpc: RpcPool, trades: readonly RawLog[], signal?: AbortSignal): Promise<Senders> {
  const wholeBlocks: [number, RawLog[]][] = [];
  const single = new Set<string>();
  for (const [number, logs] of Map.groupBy(trades, (log) => Number(log.blockNumber))) {
    if (logs.length >= wholeBlockFrom) wholeBlocks.push([number, logs]);
    else for (const log of logs) single.add(log.transactionHash);
  }
  const answers = await rpc.batch(
    [
      ...wholeBlocks.map(([number]) => ({ method: "eth_getBlockByNumber", params: [toQuantity(number), true] })),
      ...[...single].map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
    ],
    { signal },
  );
  const senders = new Map<string, string>();
  const blocks = new Map<number, { hash: string; time: number }>();
  for (const [i, [number, logs]] of wholeBlocks.entries()) {
    const block = answers[i] as unknown as RawFullBlock;
    if (!block || !Array.isArray(block.transactions) || !block.hash) throw missing(`block ${number}`);
    blocks.set(number, { hash: block.hash, time: Number(block.timestamp) });
    for (const log of logs) {
      const from = findTransaction(log, block.transactions)?.from;
      if (!from) throw missing(`a transaction of block ${number}`);
      senders.set(log.transactionHash, from.toLowerCase());
    }
  }
  for (const [i, hash] of [...single].entries()) {
    const tx = answers[wholeBlocks.length + i] as unknown as RawTransaction | null;
    if (!tx?.from) throw missing("a transaction");
    senders.set(hash, tx.from.toLowerCase());
  }
  return { senders, blocks };
}

/** By its index, which saves a search; indexes that a node has wrong do no harm. */
function findTransaction(log: RawLog, transactions: readonly RawTransaction[]): RawTransaction | undefined {
  const expected = transactions[Number(log.transactionIndex)];
  if (expected?.hash === log.transactionHash) return expected;
  return transactions.find((tx) => tx.hash === log.transactionHash);
}

function missing(what: string): RpcError {
  return new RpcError("transient", `RPC: ${what} is missing`);
}
