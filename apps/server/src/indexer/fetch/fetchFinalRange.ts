import type { RawLog } from "@slipway/protocol/rawLog";
import { decodePoolBurn, poolBurnTopic, poolMintTopic, swapTopic } from "@slipway/protocol/swapLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { findIncompleteBlock, type KnownHeader } from "./checkBlooms.ts";
import { type FactoryEvent, listLaunches, parseFactoryEvents } from "./factoryEvents.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import type { FetchedRange, FinalRangeContext } from "./fetchedRange.ts";
import { fetchFinalBlocks } from "./fetchFinalBlocks.ts";
import { fetchLogs } from "./fetchLogs.ts";
import { fetchOperations, findCandidates } from "./fetchOperations.ts";
import { fetchPreLaunchStates } from "./fetchPreLaunchStates.ts";
import { fetchSenders } from "./fetchSenders.ts";
import { getBlockNumber } from "./getBlockNumber.ts";
import { readHeader, toQuantity } from "./headers.ts";
import { sortLogs } from "./readLogs.ts";

/**
 * Fetches a range of final blocks by eth_getLogs: the watched logs, the senders of trades, and the headers of blocks
 * whose times the logs do not contain. Compares the headers' blooms with the logs. If logs are missing, reads this
 * range block by block, and also all later ranges that only the same endpoints answer.
 *
 * @param factoryEvents - All events of factories at or below `to` that are not reduced.
 * @throws RpcError range when the node rejects the size, or the range is too long to be read block by block.
 */
export async function fetchFinalRange(
  context: FinalRangeContext,
  from: number,
  to: number,
  factoryEvents: readonly FactoryEvent[],
): Promise<FetchedRange> {
  const { rpc, state, events, checks, log, signal } = context;
  const all = Array.from({ length: rpc.endpoints }, (_, endpoint) => endpoint);
  if (checks.leaveOutLogs(all)) return await fetchFinalBlocks(context, from, to, factoryEvents);
  const watched = new Set(state.emitters.keys());
  for (const { contracts } of factoryEvents) for (const { address } of contracts) watched.add(address);
  const filter = { address: [...watched], topics: [events.topics] };
  const answer = await fetchLogs(rpc, from, to, filter, signal);
  const { logs: fetched, end, answeredBy, differing, calls, contradictedBy } = answer;
  const hosts = answeredBy.map((endpoint) => rpc.host(endpoint));
  if (contradictedBy !== null) {
    checks.recordComparison("different");
    const compared = [...hosts, rpc.host(contradictedBy)];
    log.error({ from, to, hosts: compared }, "rpc endpoints differ about the contents of logs of final blocks");
  } else {
    if (answeredBy.length > 1) checks.recordComparison(differing === 0 ? "complete" : "resolved");
    if (differing > 0)
      log.error({ from, to, blocks: differing, hosts }, "rpc endpoints differ about logs of final blocks");
  }
  const logs = sortLogs(fetched.filter((log) => watched.has(log.address)));
  const pools = new Set([...state.tokens.values()].map((token) => token.pool));
  for (const { pool } of listLaunches(factoryEvents)) pools.add(pool);
  const trades = logs.filter((log) => log.topics[0] === swapTopic && pools.has(log.address));
  const sent = logs.filter((log) => pools.has(log.address) && needsSender(log));
  const { senders, headers, calls: senderCalls } = await fetchSenders(rpc, sent, signal);
  headers.set(to, { header: end, endpoint: answeredBy[0]! });
  const candidates = findCandidates(logs, pools, senders);
  const { operations, calls: operationCalls } = await fetchOperations(rpc, { from, to, trades, candidates }, signal);
  checks.earn(calls + senderCalls + operationCalls);
  const samples = checks.hasBlooms(answeredBy[0]!) ? pickSamples(from, to, checks.takeSamples(to - from)) : [];
  const times = await fetchTimes(rpc, logs, headers, samples, signal);
  checkHashes(logs, headers);
  const found = parseFactoryEvents(state, logs);
  checkFactoryEvents(found, factoryEvents, from);
  const launches = listLaunches(found);
  const incomplete = await findIncompleteBlock(context, headers.values(), logs, { watched, factoryEvents });
  if (incomplete !== null) {
    checks.record("missing");
    checks.foundMissing(answeredBy);
    log.error({ from, to, block: incomplete, hosts }, "rpc endpoint leaves out logs of a final block");
  }
  // Also true if another range found missing logs of these endpoints meanwhile.
  if (checks.leaveOutLogs(answeredBy)) return await fetchFinalBlocks(context, from, to, factoryEvents);
  return {
    from,
    to,
    end: { hash: end.hash, time: end.time },
    headers: null,
    logs,
    times,
    senders,
    operations,
    splitterDeployments: await fetchDeployments(rpc, state, launches, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, launches, logs, signal),
    unconfirmedBy: answeredBy.length === 1 ? rpc.host(answeredBy[0]!) : null,
    foundFactoryEvents: null,
  };
}

/** Whether the index stores the sender of a log of a pool: of swaps, mints and burns of liquidity. */
function needsSender(log: RawLog): boolean {
  if (log.topics[0] === poolBurnTopic) return (decodePoolBurn(log)?.liquidity ?? 0n) > 0n;
  return log.topics[0] === swapTopic || log.topics[0] === poolMintTopic;
}

function checkHashes(logs: readonly RawLog[], headers: ReadonlyMap<number, KnownHeader>): void {
  for (const log of logs) {
    const entry = headers.get(getBlockNumber(log));
    if (entry && entry.header.hash !== log.blockHash)
      throw new RpcError("transient", "RPC: nodes disagree about a final block");
  }
}

/** Throws if the range's factory events differ from those of the earlier request: a node omitted logs. */
function checkFactoryEvents(found: readonly FactoryEvent[], known: readonly FactoryEvent[], from: number): void {
  const expected = known.filter((event) => event.blockNumber >= from);
  const toAddresses = (events: readonly FactoryEvent[]) => events.map(({ contracts }) => contracts[0]!.address).join();
  const isSame = toAddresses(found) === toAddresses(expected);
  if (!isSame) throw new RpcError("malformed", `RPC: two answers differ about the launches from block ${from} on`);
}

/** Returns blocks at equal distances within a range, whose headers are read only to check the logs. */
function pickSamples(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + Math.floor(((to - from) * (i + 1)) / (count + 1)));
}

/**
 * Returns the times of blocks with logs: from the logs if the node includes times, otherwise from as few headers as
 * possible. Adds these headers and the headers of `samples` to `headers`.
 */
async function fetchTimes(
  rpc: RpcPool,
  logs: readonly RawLog[],
  headers: Map<number, KnownHeader>,
  samples: readonly number[],
  signal?: AbortSignal,
): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  for (const [number, { header }] of headers) times.set(number, header.time);
  const missing = new Set<number>();
  for (const log of logs) {
    const number = getBlockNumber(log);
    if (times.has(number)) continue;
    if (log.blockTimestamp === undefined) missing.add(number);
    else times.set(number, Number(log.blockTimestamp));
  }
  const unsampled = [...missing].filter((number) => !times.has(number));
  const numbers = [...new Set([...unsampled, ...samples.filter((number) => !headers.has(number))])];
  let endpoint = 0;
  const onAnswer = (answeredBy: number) => {
    endpoint = answeredBy;
  };
  const answers = await rpc.batch(
    numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [toQuantity(number), false] })),
    { signal, onAnswer },
  );
  for (const [i, answer] of answers.entries()) {
    const header = readHeader(answer);
    if (header === null || header.number !== numbers[i])
      throw new RpcError("transient", `RPC: block ${numbers[i]} is missing`);
    times.set(header.number, header.time);
    headers.set(header.number, { header, endpoint });
  }
  return times;
}
