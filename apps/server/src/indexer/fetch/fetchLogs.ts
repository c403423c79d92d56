import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, RpcPool } from "../../chain/rpcPool.ts";
import { type Header, readHeader, toQuantity } from "./header.ts";
import { readLogs } from "./readLogs.ts";
import { settleLogs } from "./settleLogs.ts";

export type LogFilter = {
  address?: string | readonly string[];
  topics?: readonly (string | readonly string[] | null)[];
};

/** Addresses in one filter; more are asked for in several requests. */
const maxAddresses = 1000;
/** Blocks behind which a node is not merely a little late. */
const farBehind = 1_000;

/** Logs of a range, and its last block, from one node in one answer. */
export type LogsOfRange = { logs: RawLog[]; end: Header };

/**
 * eth_getLogs of a range. Where there is another endpoint it is asked too, and what the two say differently is settled
 * by the blocks' receipts: a node whose log index has a hole leaves logs out without saying so.
 *
 * @throws RpcError range when a node refuses the size: the caller chooses its ranges by it.
 */
export async function fetchLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<LogsOfRange> {
  let answeredBy = 0;
  const onAnswer = (endpoint: number) => {
    answeredBy = endpoint;
  };
  const first = await askForLogs(rpc, from, to, filter, { signal, onAnswer });
  if (first === null) throw new RpcError("transient", `RPC: block ${to} is not there`);
  const other = rpc.endpoints === 1 ? null : rpc.other(answeredBy);
  if (other === null) return first;
  const second = await askForLogs(rpc, from, to, filter, { signal, endpoint: other });
  if (second === null) {
    if (await isFarBehind(rpc, other, to, signal)) return first;
    throw new RpcError("transient", `RPC: endpoint ${other} has not block ${to} yet`);
  }
  if (second.end.hash !== first.end.hash) throw new RpcError("transient", `RPC: nodes disagree about block ${to}`);
  return { logs: await settleLogs(rpc, first.logs, second.logs, filter, signal), end: first.end };
}

/** Whether an endpoint is still syncing: it has no opinion, and is not waited for. */
async function isFarBehind(rpc: RpcPool, endpoint: number, block: number, signal?: AbortSignal): Promise<boolean> {
  const [answer] = await rpc.batch([{ method: "eth_getBlockByNumber", params: ["latest", false] }], {
    signal,
    endpoint,
  });
  const head = readHeader(answer!);
  return head === null || head.number < block - farBehind;
}

/**
 * One node's answer; null when it has not the range's last block, which is asked for in the same request: a node that
 * lags answers with what it has and no error. A log outside the range makes the answer malformed.
 */
async function askForLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  options: BatchOptions,
): Promise<LogsOfRange | null> {
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
    options,
  );
  const end = readHeader(last!);
  if (end?.number !== to) return null;
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
