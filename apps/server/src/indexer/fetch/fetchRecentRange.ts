import type { RawLog } from "@slipway/protocol/rawLog";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { allTopics } from "../events/allEvents.ts";
import type { World } from "../world.ts";
import { isZeroBloom, mayHold, readBloom } from "./bloom.ts";
import { fetchBirths } from "./fetchBirths.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FetchedRange } from "./fetchedRange.ts";
import { fetchHeaders } from "./fetchHeaders.ts";
import { fetchPoolPasts } from "./fetchPoolPasts.ts";
import type { Header } from "./header.ts";
import { sortLogs } from "./readLogs.ts";
import { launchesIn, type SeenLaunch } from "./launchesIn.ts";

/**
 * A range within the reorg window, block by block: every header, and the complete logs of each block whose bloom says
 * that it may hold something of ours. The caller checks that the first header follows what it has.
 *
 * @param to - The last block's height, or its header where that is known.
 */
export async function fetchRecentRange(
  rpc: RpcPool,
  world: World,
  from: number,
  to: number | Header,
  signal?: AbortSignal,
): Promise<FetchedRange> {
  const isKnown = typeof to !== "number" && to.number === from;
  const headers = isKnown ? [to] : await fetchHeaders(rpc, from, typeof to === "number" ? to : to.number, signal);
  const heard = new Set(world.emitters.keys());
  const waiting = new Set(headers);
  const logs: RawLog[] = [];
  const senders = new Map<string, string>();
  const launches: SeenLaunch[] = [];
  // A launch brings addresses that later blocks of the range may hold alone: look again until it brings no more.
  for (;;) {
    const asked = [...waiting].filter((header) => isWorthAsking(header, heard));
    if (asked.length === 0) break;
    const found: RawLog[] = [];
    for (const block of await fetchBlockLogs(rpc, asked, signal)) {
      found.push(...block.logs);
      for (const [hash, sender] of block.senders) senders.set(hash, sender);
    }
    for (const header of asked) waiting.delete(header);
    logs.push(...found);
    const seen = launchesIn(world, found);
    for (const launch of seen) for (const address of [launch.token, launch.pool, launch.splitter]) heard.add(address);
    launches.push(...seen);
    if (seen.length === 0) break;
  }
  const end = headers.at(-1)!;
  return {
    from,
    to: end.number,
    end: { hash: end.hash, time: end.time },
    headers,
    logs: sortLogs(logs.filter((log) => heard.has(log.address))),
    times: new Map(headers.map((header) => [header.number, header.time])),
    senders,
    births: await fetchBirths(rpc, world, launches, signal),
    poolPasts: await fetchPoolPasts(rpc, launches, logs, signal),
  };
}

/** Some chains keep no blooms: then every block with transactions may hold something. */
function isWorthAsking(header: Header, heard: ReadonlySet<string>): boolean {
  const bloom = readBloom(header.logsBloom);
  return isZeroBloom(bloom) ? header.transactions.length > 0 : mayHold(bloom, heard, allTopics);
}
