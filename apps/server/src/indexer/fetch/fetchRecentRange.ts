import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { allTopics } from "../events/allEvents.ts";
import type { IndexState } from "../indexState.ts";
import { type AddressIndex, createAddressIndex, isZeroBloom, mayHold, readBloom } from "./bloom.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FetchedRange } from "./fetchedRange.ts";
import { fetchHeaders, type Header } from "./headers.ts";
import { fetchPreLaunchStates } from "./fetchPreLaunchStates.ts";
import { createRangeSize } from "./rangeSize.ts";
import { sortLogs } from "./fetchLogs.ts";
import { parseLaunches, type SeenLaunch } from "./launches.ts";

/** Blocks whose receipts are asked for at once at first; more while they hold little, fewer while they hold much. */
const firstBlocksAtOnce = 8;

/** What a range holds of ours so far. The addresses are those of its launches: the world has too many to copy them. */
type Found = {
  logs: RawLog[];
  senders: Map<string, string>;
  launches: SeenLaunch[];
  addresses: Set<string>;
  index: AddressIndex;
};

/**
 * A range within the reorg window, block by block: every header, and the complete logs of each block whose bloom says
 * that it may hold something of ours. The caller checks that the first header follows what it has.
 *
 * @param to - The last block's height, or its header where that is known.
 */
export async function fetchRecentRange(
  rpc: RpcPool,
  state: IndexState,
  from: number,
  to: number | Header,
  signal?: AbortSignal,
): Promise<FetchedRange> {
  const isKnown = typeof to !== "number" && to.number === from;
  const headers = isKnown ? [to] : await fetchHeaders(rpc, from, typeof to === "number" ? to : to.number, signal);
  const found: Found = {
    logs: [],
    senders: new Map(),
    launches: [],
    addresses: new Set(),
    index: createAddressIndex(),
  };
  // In parts, of which only what is heard is kept: anybody can fill blocks with logs, and blooms with our addresses.
  const size = createRangeSize(firstBlocksAtOnce);
  for (let done = 0; done < headers.length; ) {
    const part = headers.slice(done, done + size.next());
    try {
      size.accepted(part.length, await readPart(rpc, state, part, found, signal));
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

/** Adds what is heard of a part's blocks. @returns How many logs they held. */
async function readPart(rpc: RpcPool, state: IndexState, part: readonly Header[], found: Found, signal?: AbortSignal) {
  const waiting = new Set(part);
  let logsRead = 0;
  // A launch brings addresses that other blocks of the part may hold alone: look again until it brings no more.
  for (;;) {
    const asked = [...waiting].filter((header) => isWorthAsking(header, [state.watched, found.index]));
    if (asked.length === 0) return logsRead;
    const blocks = await fetchBlockLogs(rpc, asked, signal);
    for (const header of asked) waiting.delete(header);
    const seen = blocks.flatMap((block) => parseLaunches(state, block.logs));
    for (const launch of seen) addLaunch(found, launch);
    const isHeard = ({ address }: RawLog) => state.emitters.has(address) || found.addresses.has(address);
    for (const { logs, senders } of blocks) {
      logsRead += logs.length;
      for (const log of logs) if (isHeard(log)) found.logs.push(log);
      for (const [hash, sender] of senders) found.senders.set(hash, sender);
    }
    if (seen.length === 0) return logsRead;
  }
}

function addLaunch(found: Found, launch: SeenLaunch): void {
  found.launches.push(launch);
  for (const address of [launch.token, launch.pool, launch.splitter]) {
    found.addresses.add(address);
    found.index.add(address);
  }
}

/** Some chains keep no blooms: then every block with transactions may hold something. */
function isWorthAsking(header: Header, heard: readonly AddressIndex[]): boolean {
  const bloom = readBloom(header.logsBloom);
  if (isZeroBloom(bloom)) return header.transactions.length > 0;
  return heard.some((addresses) => mayHold(bloom, addresses, allTopics));
}
