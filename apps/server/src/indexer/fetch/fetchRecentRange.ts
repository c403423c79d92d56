import { listLaunches } from "./factoryEvents.ts";
import { fetchDeployments } from "./fetchDeployments.ts";
import type { FetchContext, FetchedRange } from "./fetchedRange.ts";
import { fetchPreLaunchStates } from "./fetchPreLaunchStates.ts";
import { fetchHeaders, type Header } from "./headers.ts";
import { createFoundLogs, readBlocks } from "./readBlocks.ts";
import { sortLogs } from "./readLogs.ts";

/**
 * Fetches a range within the reorg window block by block: every header, and the complete logs of each block whose bloom
 * may contain a watched log. The caller checks that the first header follows the caller's last block.
 *
 * @param to - The last block's height, or its header if the header is known.
 */
export async function fetchRecentRange(
  context: FetchContext,
  from: number,
  to: number | Header,
): Promise<FetchedRange> {
  const { rpc, state, signal } = context;
  const isKnown = typeof to !== "number" && to.number === from;
  const headers = isKnown ? [to] : await fetchHeaders(rpc, from, typeof to === "number" ? to : to.number, signal);
  const found = createFoundLogs();
  await readBlocks(context, headers, found);
  const launches = listLaunches(found.factoryEvents);
  const end = headers.at(-1)!;
  return {
    from,
    to: end.number,
    end: { hash: end.hash, time: end.time },
    headers,
    logs: sortLogs(found.logs),
    times: new Map(headers.map((header) => [header.number, header.time])),
    senders: found.senders,
    operations: found.operations,
    splitterDeployments: await fetchDeployments(rpc, state, launches, signal),
    preLaunchStates: await fetchPreLaunchStates(rpc, launches, found.logs, signal),
    // Without another endpoint, one row for each block with logs would never be confirmed.
    unconfirmedBy: rpc.endpoints === 1 ? null : [...found.answeredBy].map((endpoint) => rpc.host(endpoint)).join(),
    foundFactoryEvents: null,
  };
}
