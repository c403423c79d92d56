import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import { type AddressIndex, createAddressIndex, isZeroBloom, mayHold, readBloom } from "./bloom.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FetchContext, FetchedRange } from "./fetchedRange.ts";
import { type FetchedLaunch, fetchPreLaunchStates, parseLaunches } from "./fetchLaunches.ts";
import { fetchHeaders, type Header } from "./headers.ts";
import { createRangeSize } from "./rangeSize.ts";
import { sortLogs } from "./readLogs.ts";

/** Blocks whose receipts are requested together at first; more while they hold little, fewer while they hold much. */
const firstBatchBlocks = 8;

/** The watched logs of a range so far. The addresses are those of its launches alone: `state.emitters` is not copied. */
type Found = {
  logs: RawLog[];
  senders: Map<string, string>;
  launches: FetchedLaunch[];
  addresses: Set<string>;
  index: AddressIndex;
};

/**
 * A range within the reorg window, block by block: every header, and the complete logs of each block whose bloom may
 * contain a watched log. The caller checks that the first header follows its last one.
 *
 * @param to - The last block's height, or its header where that is known.
 */
export async function fetchRecentRange(
  context: FetchContext,
  from: number,
  to: number | Header,
): Promise<FetchedRange> {
  const { rpc, state, signal } = context;
  const isKnown = typeof to !== "number" && to.number === from;
  const headers = isKnown ? [to] : await fetchHeaders(rpc, from, typeof to === "number" ? to : to.number, signal);
  const found: Found = {
    logs: [],
    senders: new Map(),
    launches: [],
    addresses: new Set(),
    index: createAddressIndex(),
  };
  // In parts, of which only watched logs stay in memory: any account can fill blocks with logs, and blooms with our
  // addresses.
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
  const end = headers.at(-1)!;
  return {
    from,
    to: end.number,
    end: { hash: end.hash, time: end.time },
    headers,
    logs: sortLogs(found.logs),
    times: new Map(headers.map((header) => [header.number, header.time])),
    senders: found.senders,
    splitterDeployments: await fetchDeployments(rpc, state, found.launches, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, found.launches, found.logs, signal),
  };
}

/** Adds the watched logs of a part's blocks. @returns How many logs they held. */
async function readPart(context: FetchContext, part: readonly Header[], found: Found): Promise<number> {
  const { rpc, state, signal } = context;
  const unread = new Set(part);
  let logsRead = 0;
  // A launch adds addresses that other blocks of the part may hold alone: repeat until none is added.
  for (;;) {
    const asked = [...unread].filter((header) => mayHoldLogs(header, [state.watched, found.index], context));
    if (asked.length === 0) return logsRead;
    const blocks = await fetchBlockLogs(rpc, asked, signal);
    for (const header of asked) unread.delete(header);
    const launches = blocks.flatMap((block) => parseLaunches(state, block.logs));
    for (const launch of launches) addLaunch(found, launch);
    const isWatched = ({ address }: RawLog) => state.emitters.has(address) || found.addresses.has(address);
    for (const { logs, senders } of blocks) {
      logsRead += logs.length;
      for (const log of logs) if (isWatched(log)) found.logs.push(log);
      for (const [hash, sender] of senders) found.senders.set(hash, sender);
    }
    if (launches.length === 0) return logsRead;
  }
}

function addLaunch(found: Found, launch: FetchedLaunch): void {
  found.launches.push(launch);
  for (const address of [launch.token, launch.pool, launch.splitter]) {
    found.addresses.add(address);
    found.index.add(address);
  }
}

/** On chains without blooms every block with transactions may hold watched logs. */
function mayHoldLogs(header: Header, watched: readonly AddressIndex[], { events }: FetchContext): boolean {
  const bloom = readBloom(header.logsBloom);
  if (isZeroBloom(bloom)) return header.transactions.length > 0;
  return watched.some((addresses) => mayHold(bloom, addresses, events.topics));
}
