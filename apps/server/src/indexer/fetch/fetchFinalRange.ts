import type { RawLog } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { allTopics } from "../events/allEvents.ts";
import type { IndexState } from "../indexState.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import { fetchPreLaunchStates } from "./fetchPreLaunchStates.ts";
import type { FetchedRange } from "./fetchedRange.ts";
import { fetchLogs, sortLogs } from "./fetchLogs.ts";
import { fetchSenders } from "./fetchSenders.ts";
import { readHeader, toQuantity } from "./headers.ts";
import { parseLaunches, type SeenLaunch } from "./launches.ts";

/**
 * A range of blocks that are older than the reorg window, by eth_getLogs: what we hear, the senders of trades, and only
 * the headers that times are missing of. `launches` are all launches at or below `to` that the world does not know yet.
 *
 * @throws RpcError range when the node refuses the size.
 */
export async function fetchFinalRange(
  rpc: RpcPool,
  state: IndexState,
  from: number,
  to: number,
  launches: readonly SeenLaunch[],
  signal?: AbortSignal,
): Promise<FetchedRange> {
  const heard = new Set(state.emitters.keys());
  for (const launch of launches) for (const address of [launch.token, launch.pool, launch.splitter]) heard.add(address);
  const filter = { address: [...heard], topics: [allTopics] };
  const { logs: fetched, end } = await fetchLogs(rpc, from, to, filter, signal);
  const logs = sortLogs(fetched.filter((log) => heard.has(log.address)));
  const pools = new Set([...state.tokens.values()].map((token) => token.pool));
  for (const launch of launches) pools.add(launch.pool);
  const trades = logs.filter((log) => log.topics[0] === swapTopic && pools.has(log.address));
  const { senders, blocks } = await fetchSenders(rpc, trades, signal);
  blocks.set(to, end);
  checkHashes(logs, blocks);
  const seen = parseLaunches(state, logs);
  checkLaunches(seen, launches, from);
  return {
    from,
    to,
    end: { hash: end.hash, time: end.time },
    headers: null,
    logs,
    times: await timesOf(rpc, logs, blocks, signal),
    senders,
    splitterDeployments: await fetchDeployments(rpc, state, seen, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, seen, logs, signal),
  };
}

function checkHashes(logs: readonly RawLog[], blocks: ReadonlyMap<number, { hash: string }>): void {
  for (const log of logs) {
    const block = blocks.get(Number(log.blockNumber));
    if (block && block.hash !== log.blockHash)
      throw new RpcError("transient", "RPC: nodes disagree about a final block");
  }
}

/** The launches were asked for before, by another range: a node that leaves logs out says two things. */
function checkLaunches(seen: readonly SeenLaunch[], known: readonly SeenLaunch[], from: number): void {
  const expected = known.filter((launch) => launch.blockNumber >= from);
  const isSame = seen.length === expected.length && seen.every((launch, i) => launch.token === expected[i]!.token);
  if (!isSame) throw new RpcError("malformed", `RPC: two answers differ about the launches from block ${from} on`);
}

/** Times of blocks with logs: from the logs where the node says them, otherwise from as few headers as can be. */
async function timesOf(
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
    if (!header) throw new RpcError("transient", `RPC: block ${numbers[i]} is not there`);
    times.set(numbers[i]!, header.time);
  }
  return times;
}
