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

/** Blocks whose complete logs are requested together. */
const blocksTogether = 8;

/** A header, and the endpoint that it is from. */
export type KnownHeader = { header: Header; endpoint: number };

/** The filter of an eth_getLogs request: addresses and topics. */
export type AskedLogs = { watched: ReadonlySet<string>; launches: readonly FetchedLaunch[] };

/**
 * Checks the logs of a range of final blocks against the blooms of those of its headers that are known. A bloom that
 * may hold a log that was asked for and did not come is often a coincidence: the block's complete logs decide, as far as
 * the budget of the checks allows. Fuller blooms match more often by chance and come last.
 *
 * @param logs - What the endpoints returned of the range, filtered by `asked`.
 * @returns The number of a block of which logs are missing; null when none is found.
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
    const own = logsByBlock.get(header.number) ?? [];
    const bloom = readBloom(header.logsBloom);
    checks.observe(endpoint, bloom, own.length > 0);
    if (isEmptyOrFull(bloom)) continue;
    checkContained(own, bloom);
    const received = new Set(own.map((log) => log.address + log.topics[0]));
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
      // A node may not have receipts of old blocks: the check is then inconclusive. Only a contradiction is an error.
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

/** A log that its block's bloom excludes was made up, or the header is another block's. */
function checkContained(logs: readonly RawLog[], bloom: Bloom): void {
  for (const log of logs) {
    const [topic] = log.topics;
    if (typeof topic === "string" && mayHoldItem(bloom, log.address) && mayHoldItem(bloom, topic)) continue;
    throw new RpcError("malformed", `RPC: a log of block ${Number(log.blockNumber)} is not in its bloom`);
  }
}

/**
 * Creates a function that returns whether a block with a bloom may hold a log that was asked for besides those received:
 * of an address and with a topic that an emitter of its role has. `received` has the addresses, each followed by a topic.
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
      const own = roles.get(address);
      const isEmitted = ({ role }: { role: EmitterRole }) => emitter?.[role] !== undefined || own?.has(role) === true;
      return possible.some((topic) => !received.has(address + topic) && byTopic.get(topic)!.some(isEmitted));
    };
    return state.watched.some(bloom, isUnexplained) || launched.some(bloom, isUnexplained);
  };
}
