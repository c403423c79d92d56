import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import type { EmitterRole, IndexState } from "../indexState.ts";
import {
  type AddressIndex,
  type Bloom,
  countBits,
  createAddressIndex,
  isEmptyOrFull,
  mayHoldItem,
  readBloom,
} from "./bloom.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FinalRangeContext } from "./fetchedRange.ts";
import type { FetchedLaunch } from "./fetchLaunches.ts";
import type { Header } from "./headers.ts";

/** Number of blocks whose complete logs are requested together. */
const blocksTogether = 8;

/** A header, and the endpoint that returned it. */
export type KnownHeader = { header: Header; endpoint: number };

/** The filter of an eth_getLogs request: addresses and topics. */
export type AskedLogs = { watched: ReadonlySet<string>; launches: readonly FetchedLaunch[] };

/**
 * Compares the logs of a range of final blocks with the blooms of the known headers. If a bloom matches a requested log
 * that was not returned, the match is often a coincidence: the block's complete logs decide, within the budget of the
 * checks. Fuller blooms match more often by chance and are checked last.
 *
 * @param logs - The range's logs that the endpoints returned, filtered by `asked`.
 * @returns The number of a block with missing logs, or null.
 * @throws RpcError malformed when a log is not in its block's bloom: the answers contradict each other.
 */
export async function findIncompleteBlock(
  context: FinalRangeContext,
  known: Iterable<KnownHeader>,
  logs: readonly RawLog[],
  asked: AskedLogs,
): Promise<number | null> {
  const { checks, rpc, signal } = context;
  const logsByBlock = Map.groupBy(logs, (log) => Number(log.blockNumber));
  const mayHoldOther = createPairCheck(context.state, context.events, asked.launches);
  const suspects: { header: Header; bits: number }[] = [];
  for (const { header, endpoint } of known) {
    const blockLogs = logsByBlock.get(header.number) ?? [];
    const bloom = readBloom(header.logsBloom);
    checks.observe(endpoint, bloom, blockLogs.length > 0);
    if (isEmptyOrFull(bloom)) continue;
    checkContained(blockLogs, bloom);
    const received = new Set(blockLogs.map((log) => log.address + log.topics[0]));
    if (mayHoldOther(bloom, received)) suspects.push({ header, bits: countBits(bloom) });
    else checks.record("complete");
  }
  suspects.sort((a, b) => a.bits - b.bits);
  const affordable = suspects.slice(0, checks.take(suspects.length)).map(({ header }) => header);
  for (let i = affordable.length; i < suspects.length; i++) checks.record("skipped");
  const isAsked = (log: RawLog) => asked.watched.has(log.address) && context.events.byTopic.has(log.topics[0] ?? "");
  for (let first = 0; first < affordable.length; first += blocksTogether) {
    const part = affordable.slice(first, first + blocksTogether);
    const complete = await fetchBlockLogs(rpc, part, { signal }).catch((error: unknown) => {
      // Without receipts of old blocks, the check is inconclusive. Only a contradiction is an error.
      if (error instanceof RpcError && error.kind !== "malformed") return null;
      throw error;
    });
    for (const [i, { number }] of part.entries()) {
      const missing = complete && complete[i]!.logs.filter(isAsked).length - (logsByBlock.get(number)?.length ?? 0);
      if (missing !== null && missing > 0) return number;
      if (missing !== null && missing < 0)
        throw new RpcError("malformed", `RPC: eth_getLogs returned more logs than block ${number} has`);
      checks.record(missing === null ? "skipped" : "complete");
    }
  }
  return null;
}

/** Throws if a bloom excludes a log of its block: the log is false, or the header is another block's. */
function checkContained(logs: readonly RawLog[], bloom: Bloom): void {
  for (const log of logs) {
    const [topic] = log.topics;
    if (typeof topic === "string" && mayHoldItem(bloom, log.address) && mayHoldItem(bloom, topic)) continue;
    throw new RpcError("malformed", `RPC: a log of block ${Number(log.blockNumber)} is not in its bloom`);
  }
}

/**
 * Creates a function that returns whether a block with a bloom may contain a requested log that was not received. A
 * requested log has an emitter's address and a topic of one of its roles. `received` contains pairs: address followed
 * by topic.
 */
function createPairCheck(
  state: IndexState,
  { topics, byTopic }: Pick<EventCatalog, "topics" | "byTopic">,
  launches: readonly FetchedLaunch[],
): (bloom: Bloom, received: ReadonlySet<string>) => boolean {
  const roles = new Map<string, Set<EmitterRole>>();
  const launched: AddressIndex = createAddressIndex();
  for (const { token, pool, splitter } of launches) {
    const emitters = [[token, "token"] as const, [pool, "pool"] as const, [splitter, "splitter"] as const];
    for (const [address, role] of emitters) {
      if (!roles.has(address)) launched.add(address);
      roles.set(address, (roles.get(address) ?? new Set()).add(role));
    }
  }
  return (bloom, received) => {
    const possible = topics.filter((topic) => mayHoldItem(bloom, topic));
    if (possible.length === 0) return false;
    const isUnexplained = (address: string) => {
      const emitter = state.emitters.get(address);
      const added = roles.get(address);
      const isEmitted = ({ role }: { role: EmitterRole }) => emitter?.[role] !== undefined || added?.has(role) === true;
      return possible.some((topic) => !received.has(address + topic) && byTopic.get(topic)!.some(isEmitted));
    };
    return state.watched.some(bloom, isUnexplained) || launched.some(bloom, isUnexplained);
  };
}
