import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { type Header, readHeader, toQuantity } from "./header.ts";
import { readLogs } from "./readLogs.ts";

export type LogFilter = {
  address?: string | readonly string[];
  topics?: readonly (string | readonly string[] | null)[];
};

/** Addresses in one filter; more are asked for in several requests. */
const maxAddresses = 1000;

/**
 * eth_getLogs of a range, whole: what a node refuses as too large is asked for in halves. A log outside the range or of
 * another address makes the answer malformed.
 *
 * @throws RpcError
 */
export async function fetchLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<RawLog[]> {
  try {
    return (await fetchLogsAtOnce(rpc, from, to, filter, signal)).logs;
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== "range" || from >= to) throw error;
    const middle = from + Math.floor((to - from) / 2);
    const left = await fetchLogs(rpc, from, middle, filter, signal);
    return [...left, ...(await fetchLogs(rpc, middle + 1, to, filter, signal))];
  }
}

/** Logs of a range, and its last block, from one node in one answer. */
export type LogsOfRange = { logs: RawLog[]; end: Header };

/**
 * As `fetchLogs`, but passes a refused range on, for a caller that chooses its ranges by it. A node that lags answers
 * with what it has and no error: so the range's last block is asked for in the same request.
 *
 * @throws RpcError
 */
export async function fetchLogsAtOnce(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<LogsOfRange> {
  const { address } = filter;
  const chunks: LogFilter["address"][] =
    Array.isArray(address) && address.length > maxAddresses
      ? Array.from({ length: Math.ceil(address.length / maxAddresses) }, (_, i) =>
          address.slice(i * maxAddresses, (i + 1) * maxAddresses),
        )
      : [address];
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  const [last, ...answers] = await rpc.batch(
    [
      { method: "eth_getBlockByNumber", params: [range.toBlock, false] },
      ...chunks.map((chunk) => ({ method: "eth_getLogs", params: [{ ...range, ...filter, address: chunk }] })),
    ],
    { signal },
  );
  const end = readHeader(last!);
  if (end?.number !== to) throw new RpcError("transient", `RPC: block ${to} is not there`);
  const logs = answers.flatMap((answer) => readLogs(answer));
  for (const log of logs) {
    const block = Number(log.blockNumber);
    if (!(block >= from && block <= to))
      throw new RpcError("malformed", "RPC: a log lies outside of the range asked for");
    if (block === to && log.blockHash !== end.hash)
      throw new RpcError("transient", `RPC: block ${to} changed meanwhile`);
  }
  return { logs, end };
}
