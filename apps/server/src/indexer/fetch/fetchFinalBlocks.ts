import { RpcError } from "../../chain/rpcError.ts";
import { type FactoryEvent, listLaunches } from "./factoryEvents.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import type { FetchContext, FetchedRange } from "./fetchedRange.ts";
import { fetchPreLaunchStates } from "./fetchPreLaunchStates.ts";
import { fetchHeaders, type Header } from "./headers.ts";
import { createFoundLogs, readBlocks } from "./readBlocks.ts";
import { sortLogs } from "./readLogs.ts";

/** Maximum blocks of a range. Such a range takes seconds, and is committed before the next range is read. */
const maxBlocks = 2_000;
/** Number of headers that are in memory together. */
const headersTogether = 500;

/**
 * Fetches a range of final blocks block by block, as near the head: one call for each header, and one for each block
 * whose bloom may contain a watched log. Does not depend on an endpoint's log index, which may have holes.
 *
 * @param factoryEvents - All known events of factories at or below `to` that are not reduced.
 * @throws RpcError range when the range is too long.
 */
export async function fetchFinalBlocks(
  context: FetchContext,
  from: number,
  to: number,
  factoryEvents: readonly FactoryEvent[],
): Promise<FetchedRange> {
  const { rpc, state, signal } = context;
  if (to - from + 1 > maxBlocks) throw new RpcError("range", "too many blocks to be read one by one");
  const found = createFoundLogs(factoryEvents);
  const times = new Map<number, number>();
  let last: Header | undefined;
  for (let first = from; first <= to; first += headersTogether) {
    const headers = await fetchHeaders(rpc, first, Math.min(to, first + headersTogether - 1), signal);
    if (last && headers[0]!.parentHash !== last.hash)
      throw new RpcError("transient", `RPC: block ${first} does not follow its predecessor`);
    last = headers.at(-1)!;
    await readBlocks(context, headers, found);
    const blocksWithLogs = new Set(found.logs.map((log) => Number(log.blockNumber)));
    for (const { number, time } of headers) if (blocksWithLogs.has(number)) times.set(number, time);
  }
  const launches = listLaunches(found.factoryEvents);
  return {
    from,
    to,
    end: { hash: last!.hash, time: last!.time },
    headers: null,
    logs: sortLogs(found.logs),
    times,
    senders: found.senders,
    operations: found.operations,
    splitterDeployments: await fetchDeployments(rpc, state, launches, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, launches, found.logs, signal),
    unconfirmedBy: null,
    foundFactoryEvents: found.factoryEvents,
  };
}
