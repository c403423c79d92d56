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
import type { FactoryEvent } from "./factoryEvents.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FinalRangeContext } from "./fetchedRange.ts";
import { getBlockNumber } from "./getBlockNumber.ts";
import type { Header } from "./headers.ts";

/** Number of blocks whose complete logs are requested together. */
const blocksTogether = 8;

/** A header, and the endpoint that returned it. */
export type KnownHeader = { header: Header; endpoint: number };

/** The filter of an eth_getLogs request: addresses and topics. */
export type AskedLogs = { watched: ReadonlySet<string>; factoryEvents: readonly FactoryEvent[] };

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
  const logsByBlock = Map.groupBy(logs, (log) => getBlockNumber(log));
  const mayHoldOther = createPairCheck(context.state, context.events, asked.factoryEvents);
  const suspects: { header: Header; bits: number }[] = [];
  for (const { header, endpoint } of known) {
    const blockLogs = logsByBlock.get(header.number) ?? [];
    const bloom = readBloom(header.logsBloom);
    checks.observe(endpoint, bloom, blockLogs.length > 0);
    if (isEmptyOrFull(bloom)) continue;
    checkContained(blockLogs, bloom);
    if (mayHoldOther(bloom, blockLogs)) suspects.push({ header, bits: countBits(bloom) });
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
    throw new RpcError("malformed", `RPC: a log of block ${getBlockNumber(log)} is not in its bloom`);
  }
}

/**
 * Creates a function that returns whether a block with a bloom may contain a requested log that was not received. A
 * requested log has an emitter's address and a topic of one of its roles.
 */
function createPairCheck(
  state: IndexState,
  { topics, byTopic }: Pick<EventCatalog, "topics" | "byTopic">,
  factoryEvents: readonly FactoryEvent[],
): (bloom: Bloom, received: readonly RawLog[]) => boolean {
  const roles = new Map<string, Set<EmitterRole>>();
  const added: AddressIndex = createAddressIndex();
  for (const { contracts } of factoryEvents) {
    for (const { address, role } of contracts) {
      if (!roles.has(address)) added.add(address);
      roles.set(address, (roles.get(address) ?? new Set()).add(role));
    }
  }
  const topicsByRole = Map.groupBy([...byTopic.values()].flat(), ({ role }) => role);
  return (bloom, received) => {
    const possible = topics.filter((topic) => mayHoldItem(bloom, topic));
    if (possible.length === 0) return false;
    // Grouped by role, because most addresses have one role, and most roles have few topics.
    const possibleByRole = [...topicsByRole].flatMap(([role, modules]) => {
      const ofRole = possible.filter((topic) => modules.some((module) => module.topic === topic));
      return ofRole.length === 0 ? [] : [{ role, topics: ofRole }];
    });
    const logsByAddress = Map.groupBy(received, ({ address }) => address);
    const isUnexplained = (address: string) => {
      const emitter = state.emitters.get(address);
      const own = roles.get(address);
      const logs = logsByAddress.get(address);
      return possibleByRole.some(
        ({ role, topics }) =>
          (emitter?.[role] !== undefined || own?.has(role) === true) &&
          topics.some((topic) => !logs?.some((log) => log.topics[0] === topic)),
      );
    };
    return state.watched.some(bloom, isUnexplained) || added.some(bloom, isUnexplained);
  };
}
