import { addressWord, hasWords, type RawLog, smallIntWord, uintWord } from "@slipway/protocol/rawLog";
import { checkSplitterDeployment, maxPayees, missingCode, readSplitterClone } from "@slipway/protocol/splitter";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import {
  type PayeeRow,
  splitterEventsTable,
  splitterNativeReceived,
  splitterReleased,
} from "../events/splitterEvents.ts";
import type { IndexState } from "../indexState.ts";
import { createBatch, getRows } from "../reduce/batch.ts";
import type { SplitterDeployment } from "./fetchedRange.ts";
import type { FetchedLaunch } from "./fetchPreLaunchStates.ts";
import { fetchHeader } from "./headers.ts";
import { searchBack } from "./searchBack.ts";

/** keccak256("SplitterCreated(address[],uint16[])"): event of a splitter that a creation transaction deployed. */
export const splitterCreatedTopic = "0xefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba6179";
/** keccak256("SplitterCreated(address,bytes32,address[],uint16[])"): event of a splitter factory. */
export const factoryCreatedTopic = "0xd9ad55f79232d4ae9e1ccff21e8e0021064a1efc976597bd2180706d4dd8cbfb";

const releaseEvents = [splitterReleased, splitterNativeReceived];

/**
 * Fetches the deployments of splitters that launches name for the first time. Two facts prove a splitter: its code, and
 * its creation by a pinned splitter factory (whose event names the splitter) or by a transaction with exactly the
 * pinned creation code (contracts/README.md). The contract's own return values prove nothing.
 */
export async function fetchDeployments(
  rpc: RpcPool,
  state: IndexState,
  launches: readonly FetchedLaunch[],
  signal?: AbortSignal,
): Promise<SplitterDeployment[]> {
  const deployments = new Map<string, SplitterDeployment>();
  for (const launch of launches) {
    if (deployments.has(launch.splitter) || state.emitters.get(launch.splitter)?.splitter) continue;
    deployments.set(launch.splitter, await fetchDeployment(rpc, state, launch, signal));
  }
  return [...deployments.values()];
}

async function fetchDeployment(
  rpc: RpcPool,
  state: IndexState,
  launch: FetchedLaunch,
  signal?: AbortSignal,
): Promise<SplitterDeployment> {
  const code = await fetchCode(rpc, launch.splitter, signal);
  if (code !== "0x" && !isPinned(code, state)) return createUnproven(launch);
  const { logs, isComplete } = await fetchHistory(rpc, state, launch, signal);
  const created = logs.find((log) => isCreation(log, state, launch.splitter));
  const splitter = {
    address: launch.splitter,
    proven: (isComplete ? false : null) as boolean | null,
    reason: (isComplete
      ? "it emitted no SplitterCreated"
      : "its SplitterCreated event is older than the search depth") as string | null,
    birth_tx: null as string | null,
    birth_block: null as number | null,
    block_number: launch.blockNumber,
  };
  const events = await readEvents(rpc, state, launch.splitter, logs, signal);
  if (!created) return { splitter, payees: [], events };
  splitter.birth_tx = created.transactionHash;
  splitter.birth_block = Number(created.blockNumber);
  if (created.topics[0] === factoryCreatedTopic) {
    // A node that has the factory's event has the code. Without the code the node lags: the caller tries again.
    if (code === "0x") throw createMissingError(launch.splitter);
    const payees = readFactoryPayees(code, created, state, launch);
    splitter.reason = payees === null ? "its runtime code is not the pinned one" : null;
    splitter.proven = payees !== null;
    return { splitter, payees: payees ?? [], events };
  }
  splitter.reason = await checkDeployment(rpc, state, launch.splitter, created, signal);
  splitter.proven = splitter.reason === null;
  return { splitter, payees: readPayees(created, launch), events };
}

async function fetchCode(rpc: RpcPool, address: string, signal?: AbortSignal): Promise<`0x${string}`> {
  const [code] = await rpc.batch([{ method: "eth_getCode", params: [address, "latest"] }], { signal });
  if (!isHex(code)) throw createMissingError(address);
  return code;
}

function isPinned(code: `0x${string}`, state: IndexState): boolean {
  return state.sources.splitters.some(({ implementation }) => readSplitterClone(code, implementation) !== null);
}

/**
 * Returns an unproven deployment for a contract that does not run the splitter's code: a launch can name any contract.
 * Does not search for the contract's creation, because the search could stop indexing for minutes.
 */
function createUnproven({ splitter, blockNumber }: FetchedLaunch): SplitterDeployment {
  const unknown = { birth_tx: null, birth_block: null };
  const reason = "its runtime code is not the pinned one";
  return {
    splitter: { address: splitter, proven: false, reason, ...unknown, block_number: blockNumber },
    payees: [],
    events: [],
  };
}

/** Fetches the splitter's logs from its creation to the launch. */
function fetchHistory(rpc: RpcPool, state: IndexState, launch: FetchedLaunch, signal?: AbortSignal) {
  const { splitter, blockNumber } = launch;
  const own = { address: splitter, topics: [[splitterCreatedTopic, ...releaseEvents.map(({ topic }) => topic)]] };
  const made = { address: listFactories(state), topics: [[factoryCreatedTopic], [toTopic(splitter)]] };
  return searchBack(rpc, blockNumber, [own, made], (log) => isCreation(log, state, splitter), signal);
}

const listFactories = ({ sources }: IndexState) => sources.splitters.map(({ factory }) => factory);

const toTopic = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;

/** Whether a log reports the splitter's creation: an event of the splitter, or of a pinned factory. */
function isCreation(log: RawLog, state: IndexState, splitter: string): boolean {
  if (log.topics[0] === splitterCreatedTopic) return log.address === splitter;
  const isOfFactory = log.topics[0] === factoryCreatedTopic && log.topics[1] === toTopic(splitter);
  return isOfFactory && listFactories(state).includes(log.address);
}

/** Reads the allocations in the code of a factory's clone; null for a clone of another implementation. */
function readFactoryPayees(
  code: `0x${string}`,
  created: RawLog,
  state: IndexState,
  launch: FetchedLaunch,
): PayeeRow[] | null {
  const source = state.sources.splitters.find(({ factory }) => factory === created.address)!;
  const allocations = readSplitterClone(code, source.implementation);
  return (
    allocations?.map(({ payee, shareBps }, position) => ({
      splitter: launch.splitter,
      position,
      payee: payee.toLowerCase(),
      share_bps: shareBps,
      block_number: launch.blockNumber,
    })) ?? null
  );
}

/** Returns null if the creation code is the pinned code of a deployment; otherwise why the splitter is unproven. */
async function checkDeployment(
  rpc: RpcPool,
  state: IndexState,
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
  // A node that has the log has the transaction. Without the transaction the node lags: the caller tries again.
  if (!tx || !receipt || !isHex(tx.input) || !isHex(rawCode)) throw createMissingError(splitter);
  const deployment = {
    to: tx.to ?? null,
    input: tx.input,
    contractAddress: receipt.contractAddress ?? null,
    succeeded: Number(receipt.status) === 1,
  };
  let reason: string | null = null;
  for (const { implementation } of state.sources.splitters) {
    const verdict = checkSplitterDeployment(splitter, deployment, rawCode, implementation);
    if ("allocations" in verdict) return null;
    // Pinned code has no self-destruct: without code, this node lags.
    if (verdict.problem === missingCode) throw createMissingError(splitter);
    reason = verdict.problem;
  }
  return reason;
}

function createMissingError(splitter: string): RpcError {
  return new RpcError("transient", `RPC: the creation of splitter ${splitter} is missing`);
}

function isHex(value: unknown): value is `0x${string}` {
  return typeof value === "string" && value.startsWith("0x");
}

/** Parses the allocations of a SplitterCreated log; empty when it is malformed. */
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

/** Reads the splitter's events before the launch that names it, as rows. */
async function readEvents(
  rpc: RpcPool,
  state: IndexState,
  splitter: string,
  logs: readonly RawLog[],
  signal?: AbortSignal,
) {
  const batch = createBatch(-1, state, [splitterEventsTable]);
  const times = new Map<number, number>();
  for (const log of logs) {
    const module = releaseEvents.find((event) => event.topic === log.topics[0]);
    if (!module || log.address !== splitter) continue;
    const blockNumber = Number(log.blockNumber);
    let blockTime = times.get(blockNumber);
    if (blockTime === undefined) {
      const header = await fetchHeader(rpc, blockNumber, signal);
      if (!header) throw new RpcError("transient", `RPC: block ${blockNumber} is missing`);
      blockTime = header.time;
      times.set(blockNumber, blockTime);
    }
    batch.at = {
      blockNumber,
      blockTime,
      logIndex: Number(log.logIndex),
      txIndex: Number(log.transactionIndex),
      txHash: log.transactionHash,
    };
    module.apply(log, batch, { splitter: true });
  }
  return getRows(batch, splitterEventsTable);
}
