import { addressWord, hasWords, type RawLog, smallIntWord, uintWord } from "@slipway/protocol/rawLog";
import { keccak256 } from "viem/utils";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { splitterNativeReceived } from "../events/splitterNativeReceived.ts";
import { splitterReleased } from "../events/splitterReleased.ts";
import { createBatch } from "../reduce/batch.ts";
import type { PayeeRow } from "../reduce/rows.ts";
import type { World } from "../world.ts";
import type { Birth } from "./fetchedRange.ts";
import { fetchHeader } from "./fetchHeaders.ts";
import { fetchLogs } from "./fetchLogs.ts";
import type { SeenLaunch } from "./launchesIn.ts";
import { sortLogs } from "./readLogs.ts";

/** keccak256("SplitterCreated(address[],uint16[])") */
export const splitterCreatedTopic = "0xefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba6179";

const maxPayees = 20;

/**
 * The births of splitters that launches name for the first time. A splitter is proven by the transaction that created
 * it (contracts/README.md): sent to nobody, its contract address is the splitter, and its input is pinned creation code
 * followed by exactly the allocations of the event. Nothing that the contract itself answers proves anything.
 */
export async function fetchBirths(
  rpc: RpcPool,
  world: World,
  launches: readonly SeenLaunch[],
  signal?: AbortSignal,
): Promise<Birth[]> {
  const births = new Map<string, Birth>();
  for (const launch of launches) {
    if (births.has(launch.splitter) || world.emitters.get(launch.splitter)?.splitter) continue;
    births.set(launch.splitter, await fetchBirth(rpc, world, launch, signal));
  }
  return [...births.values()];
}

async function fetchBirth(rpc: RpcPool, world: World, launch: SeenLaunch, signal?: AbortSignal): Promise<Birth> {
  const { logs, isWhole } = await fetchHistory(rpc, launch, signal);
  const created = logs.find((log) => log.topics[0] === splitterCreatedTopic);
  const splitter = {
    address: launch.splitter,
    proven: (isWhole ? false : null) as boolean | null,
    reason: (isWhole ? "it emitted no SplitterCreated" : "its birth lies too far back") as string | null,
    birth_tx: null as string | null,
    birth_block: null as number | null,
    block_number: launch.blockNumber,
  };
  const events = await readEvents(rpc, world, logs, signal);
  if (!created) return { splitter, payees: [], events };
  splitter.birth_tx = created.transactionHash;
  splitter.birth_block = Number(created.blockNumber);
  splitter.reason = await whyUnproven(rpc, world, launch.splitter, created, signal);
  splitter.proven = splitter.reason === null;
  return { splitter, payees: readPayees(created, launch), events };
}

/** Blocks asked for at once, and how far back a birth is looked for; one is usually minutes before its launch. */
const searchStep = 50_000;
const searchDepth = 5_000_000;

/**
 * The splitter's logs up to the launch, searched backwards from it to its birth: before that there can be none.
 * `isWhole` is false when the search gave up.
 */
async function fetchHistory(
  rpc: RpcPool,
  launch: SeenLaunch,
  signal?: AbortSignal,
): Promise<{ logs: RawLog[]; isWhole: boolean }> {
  const topics = [[splitterCreatedTopic, splitterReleased.topic, splitterNativeReceived.topic]];
  const filter = { address: launch.splitter, topics };
  const logs: RawLog[] = [];
  const lowest = Math.max(0, launch.blockNumber - searchDepth);
  for (let to = launch.blockNumber; to >= lowest; to -= searchStep) {
    const from = Math.max(lowest, to - searchStep + 1);
    logs.push(...(await fetchLogs(rpc, from, to, filter, signal)));
    if (logs.some((log) => log.topics[0] === splitterCreatedTopic)) return { logs: sortLogs(logs), isWhole: true };
  }
  return { logs: sortLogs(logs), isWhole: lowest === 0 };
}

async function whyUnproven(
  rpc: RpcPool,
  world: World,
  splitter: string,
  created: RawLog,
  signal?: AbortSignal,
): Promise<string | null> {
  const [rawTx, rawReceipt] = await rpc.batch(
    [
      { method: "eth_getTransactionByHash", params: [created.transactionHash] },
      { method: "eth_getTransactionReceipt", params: [created.transactionHash] },
    ],
    { signal },
  );
  const tx = rawTx as unknown as { to?: string | null; input?: string } | null;
  const receipt = rawReceipt as unknown as { contractAddress?: string | null } | null;
  // A node that gave its log has the transaction; one that lags is asked again.
  if (!tx || !receipt || typeof tx.input !== "string") {
    throw new RpcError("transient", `RPC: the creation of splitter ${splitter} is not there`);
  }
  if (tx.to) return "it was not created by a plain creation transaction";
  if (receipt.contractAddress?.toLowerCase() !== splitter) return "its creation transaction created something else";
  const input = tx.input.toLowerCase();
  // The event's data and the constructor's arguments are the same ABI encoding of (address[], uint16[]).
  const allocations = created.data.slice(2).toLowerCase();
  if (!input.endsWith(allocations)) return "it was created with other allocations than it announced";
  const code = input.slice(0, input.length - allocations.length) as `0x${string}`;
  const isPinned = world.sources.splitterCreationHashes.includes(keccak256(code));
  return isPinned ? null : "it was created from other code than the pinned splitter's";
}

/** The allocations of a SplitterCreated log; none when it has not the shape. */
export function readPayees(created: RawLog, launch: { splitter: string; blockNumber: number }): PayeeRow[] {
  const { data } = created;
  if (!hasWords(data, 4)) return [];
  const [payeesAt, sharesAt] = [uintWord(data, 0), uintWord(data, 1)].map((offset) => Number(offset) / 32);
  if (!Number.isSafeInteger(payeesAt) || !Number.isSafeInteger(sharesAt)) return [];
  if (!hasWords(data, payeesAt! + 1) || !hasWords(data, sharesAt! + 1)) return [];
  const count = Number(uintWord(data, payeesAt!));
  if (count > maxPayees || uintWord(data, sharesAt!) !== BigInt(count)) return [];
  if (!hasWords(data, payeesAt! + 1 + count) || !hasWords(data, sharesAt! + 1 + count)) return [];
  return Array.from({ length: count }, (_, position) => ({
    splitter: launch.splitter,
    position,
    payee: addressWord(data, payeesAt! + 1 + position),
    share_bps: smallIntWord(data, sharesAt! + 1 + position),
    block_number: launch.blockNumber,
  }));
}

/** What the splitter did before the launch that names it, as rows. */
async function readEvents(rpc: RpcPool, world: World, logs: readonly RawLog[], signal?: AbortSignal) {
  const batch = createBatch(-1, world);
  const times = new Map<number, number>();
  for (const log of logs) {
    const module = [splitterReleased, splitterNativeReceived].find((event) => event.topic === log.topics[0]);
    if (!module) continue;
    const blockNumber = Number(log.blockNumber);
    let blockTime = times.get(blockNumber);
    if (blockTime === undefined) {
      const header = await fetchHeader(rpc, blockNumber, signal);
      if (!header) throw new RpcError("transient", `RPC: block ${blockNumber} is not there`);
      blockTime = header.time;
      times.set(blockNumber, blockTime);
    }
    batch.at = { blockNumber, blockTime, logIndex: Number(log.logIndex), txHash: log.transactionHash };
    module.apply(log, batch, { splitter: true });
  }
  return batch.splitterEvents;
}
