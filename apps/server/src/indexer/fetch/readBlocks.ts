import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import { type AddressIndex, createAddressIndex, isEmptyOrFull, mayHold, readBloom } from "./bloom.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FetchContext } from "./fetchedRange.ts";
import { type FetchedLaunch, parseLaunches } from "./fetchLaunches.ts";
import type { Header } from "./headers.ts";
import { createRangeSize } from "./rangeSize.ts";

/** Blocks whose receipts are requested together at first; more while they hold little, fewer while they hold much. */
const firstBatchBlocks = 8;

/** The watched logs of blocks so far. The addresses are those of launches alone: `state.emitters` is not copied. */
export type FoundLogs = {
  logs: RawLog[];
  /** Senders of their transactions. */
  senders: Map<string, string>;
  /** Launches in the blocks. */
  launches: FetchedLaunch[];
  addresses: Set<string>;
  index: AddressIndex;
};

/** @param launches - Those before the blocks that the index state does not have yet. */
export function createFoundLogs(launches: readonly FetchedLaunch[] = []): FoundLogs {
  const found: FoundLogs = {
    logs: [],
    senders: new Map(),
    launches: [],
    addresses: new Set(),
    index: createAddressIndex(),
  };
  for (const launch of launches) watch(found, launch);
  return found;
}

/**
 * Adds the complete watched logs of blocks: of each whose bloom may contain one. In parts, of which only watched logs
 * stay in memory: any account can fill blocks with logs, and blooms with our addresses.
 *
 * @throws RpcError when an answer contradicts its header.
 */
export async function readBlocks(context: FetchContext, headers: readonly Header[], found: FoundLogs): Promise<void> {
  const size = createRangeSize(firstBatchBlocks);
  for (let done = 0; done < headers.length; ) {
    const part = headers.slice(done, done + size.next());
    try {
      size.accepted(part.length, await readPart(context, part, found));
      done += part.length;
    } catch (error) {
      // Too long an answer for the node, or for us.
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(part.length)) throw error;
    }
  }
}

/** Adds the watched logs of a part's blocks. @returns How many logs they held. */
async function readPart(context: FetchContext, part: readonly Header[], found: FoundLogs): Promise<number> {
  const { rpc, state, signal } = context;
  const unread = new Set(part);
  let logsRead = 0;
  // A launch adds addresses that other blocks of the part may hold alone: repeat until none is added.
  for (;;) {
    const asked = [...unread].filter((header) => mayHoldLogs(header, [state.watched, found.index], context));
    if (asked.length === 0) return logsRead;
    const blocks = await fetchBlockLogs(rpc, asked, { signal });
    for (const header of asked) unread.delete(header);
    const launches = blocks.flatMap((block) => parseLaunches(state, block.logs));
    for (const launch of launches) {
      found.launches.push(launch);
      watch(found, launch);
    }
    const isWatched = ({ address }: RawLog) => state.emitters.has(address) || found.addresses.has(address);
    for (const { logs, senders } of blocks) {
      logsRead += logs.length;
      for (const log of logs.filter(isWatched)) {
        found.logs.push(log);
        const sender = senders.get(log.transactionHash);
        if (sender !== undefined) found.senders.set(log.transactionHash, sender);
      }
    }
    if (launches.length === 0) return logsRead;
  }
}

function watch(found: FoundLogs, launch: FetchedLaunch): void {
  for (const address of [launch.token, launch.pool, launch.splitter]) {
    if (!found.addresses.has(address)) found.index.add(address);
    found.addresses.add(address);
  }
}

/** On chains without blooms every block with transactions may hold watched logs. */
function mayHoldLogs(header: Header, watched: readonly AddressIndex[], { events }: FetchContext): boolean {
  const bloom = readBloom(header.logsBloom);
  if (isEmptyOrFull(bloom)) return header.transactions.length > 0;
  return watched.some((addresses) => mayHold(bloom, addresses, events.topics));
}
