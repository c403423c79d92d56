import { RpcError } from "../../chain/rpcError.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import type { FetchContext, FetchedRange } from "./fetchedRange.ts";
import { type FetchedLaunch, fetchPreLaunchStates } from "./fetchLaunches.ts";
import { fetchHeaders, type Header } from "./headers.ts";
import { createFoundLogs, readBlocks } from "./readBlocks.ts";
import { sortLogs } from "./readLogs.ts";

/** The longest range: it takes seconds, and is committed before more is read. */
const maxBlocks = 2_000;
/** Headers that are in memory together. */
const headersTogether = 500;

/**
 * A range of final blocks, block by block, as near the head: a call for each header and each block whose bloom may hold
 * a watched log. It needs no index of logs, which an endpoint may have with holes.
 *
 * @param launches - All launches at or below `to`, as far as they are known, that are not reduced.
 * @throws RpcError range when it is too long.
 */
export async function fetchFinalBlocks(
  context: FetchContext,
  from: number,
  to: number,
  launches: readonly FetchedLaunch[],
): Promise<FetchedRange> {
  const { rpc, state, signal } = context;
  if (to - from + 1 > maxBlocks) throw new RpcError("range", "too many blocks to be read one by one");
  const found = createFoundLogs(launches);
  const times = new Map<number, number>();
  let last: Header | undefined;
  for (let first = from; first <= to; first += headersTogether) {
    const headers = await fetchHeaders(rpc, first, Math.min(to, first + headersTogether - 1), signal);
    if (last && headers[0]!.parentHash !== last.hash)
      throw new RpcError("transient", `RPC: block ${first} does not follow the one before`);
    last = headers.at(-1)!;
    await readBlocks(context, headers, found);
    const blocksWithLogs = new Set(found.logs.map((log) => Number(log.blockNumber)));
    for (const { number, time } of headers) if (blocksWithLogs.has(number)) times.set(number, time);
  }
  return {
    from,
    to,
    end: { hash: last!.hash, time: last!.time },
    headers: null,
    logs: sortLogs(found.logs),
    times,
    senders: found.senders,
    splitterDeployments: await fetchDeployments(rpc, state, found.launches, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, found.launches, found.logs, signal),
    unconfirmedBy: null,
    foundLaunches: found.launches,
  };
}
