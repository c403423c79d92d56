import { addressWord, hasWords, type RawLog, smallIntWord, uintWord } from "@slipway/protocol/rawLog";
import { templateRuntimeHash } from "@slipway/protocol/manifest";
import { checkSplitterDeployment, maxPayees, missingCode } from "@slipway/protocol/splitter";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { splitterNativeReceived } from "../events/splitterNativeReceived.ts";
import { splitterReleased } from "../events/splitterReleased.ts";
import { createBatch } from "../reduce/batch.ts";
import type { PayeeRow } from "../reduce/rows.ts";
import type { World } from "../indexState.ts";
import type { Birth } from "./fetchedRange.ts";
import { fetchHeader } from "./headers.ts";
import type { SeenLaunch } from "./launches.ts";
import { searchBack } from "./searchBack.ts";

/** keccak256("SplitterCreated(address[],uint16[])") */
export const splitterCreatedTopic = "0xefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba6179";

/**
 * The births of splitters that launches name for the first time. A splitter is proven by the transaction that created
 * it and by its code (contracts/README.md). Nothing that the contract itself answers proves anything.
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
  const code = await fetchCode(rpc, launch.splitter, signal);
  if (code !== "0x" && !isPinned(code, world)) return foreign(launch);
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

async function fetchCode(rpc: RpcPool, address: string, signal?: AbortSignal): Promise<`0x${string}`> {
  const [code] = await rpc.batch([{ method: "eth_getCode", params: [address, "latest"] }], { signal });
  if (!isHex(code)) throw notThere(address);
  return code;
}

function isPinned(code: `0x${string}`, world: World): boolean {
  return world.sources.splitterTemplates.some(
    (template) => templateRuntimeHash(code, template.immutable_offsets) === template.runtime_code_hash.toLowerCase(),
  );
}

/**
 * Any contract can be named as a splitter: one that runs other code is none, and what it says of itself means nothing.
 * It has no birth to be looked for, which could take minutes in which nothing is indexed.
 */
function foreign({ splitter, blockNumber }: SeenLaunch): Birth {
  const nothing = { birth_tx: null, birth_block: null };
  const reason = "its runtime code is not the pinned one";
  return {
    splitter: { address: splitter, proven: false, reason, ...nothing, block_number: blockNumber },
    payees: [],
    events: [],
  };
}

/** The splitter's logs up to the launch, back to its birth: before that there can be none. */
function fetchHistory(rpc: RpcPool, launch: SeenLaunch, signal?: AbortSignal) {
  const topics = [[splitterCreatedTopic, splitterReleased.topic, splitterNativeReceived.topic]];
  const isBirth = (log: RawLog) => log.topics[0] === splitterCreatedTopic;
  return searchBack(rpc, launch.blockNumber, { address: launch.splitter, topics }, isBirth, signal);
}

/** Null when the birth proves the splitter by the template of any deployment; otherwise what speaks against it. */
async function whyUnproven(
  rpc: RpcPool,
  world: World,
  splitter: string,
  created: RawLog,
  signal?: AbortSignal,
): Promise<string | null> {
  const [rawTx, rawReceipt, rawCode] = await rpc.batch(
    [
      { method: "eth_getTransactionByHash", params: [created.transactionHash] },
      { method: "eth_getTransactionReceipt", params: [created.transactionHash] },
      { method: "eth_getCode", params: [splitter, "latest"] },
    ],
    { signal },
  );
  const tx = rawTx as unknown as { to?: string | null; input?: unknown } | null;
  const receipt = rawReceipt as unknown as { contractAddress?: string | null; status?: unknown } | null;
  // A node that gave its log has the transaction; one that lags is asked again.
  if (!tx || !receipt || !isHex(tx.input) || !isHex(rawCode)) throw notThere(splitter);
  const birth = {
    to: tx.to ?? null,
    input: tx.input,
    contractAddress: receipt.contractAddress ?? null,
    succeeded: Number(receipt.status) === 1,
  };
  let reason: string | null = null;
  for (const template of world.sources.splitterTemplates) {
    const verdict = checkSplitterDeployment(splitter, birth, rawCode, template);
    if ("allocations" in verdict) return null;
    // Pinned code never destroys itself, so it is somewhere.
    if (verdict.problem === missingCode) throw notThere(splitter);
    reason = verdict.problem;
  }
  return reason;
}

function notThere(splitter: string): RpcError {
  return new RpcError("transient", `RPC: the creation of splitter ${splitter} is not there`);
}

function isHex(value: unknown): value is `0x${string}` {
  return typeof value === "string" && value.startsWith("0x");
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
