import { RpcError } from "../../chain/rpcError.ts";
import type { Raw, RpcPool } from "../../chain/rpcPool.ts";
import type { Clock } from "../../clock.ts";

/** The fields of a block's header that the index needs. */
export type Header = {
  number: number;
  hash: string;
  parentHash: string;
  /** Unix seconds. */
  time: number;
  logsBloom: string;
  /** Hashes of its transactions. */
  transactions: string[];
};

/** A transaction within a full block. */
export type BlockTransaction = { hash: string; from: string };

type RawBlock = {
  number?: unknown;
  hash?: unknown;
  parentHash?: unknown;
  timestamp?: unknown;
  logsBloom?: unknown;
  transactions?: unknown;
};

/** Parses an eth_getBlockBy... answer; null when the node does not have the block. @throws RpcError malformed */
export function readHeader(raw: Raw<unknown>): Header | null {
  if (raw === null) return null;
  const block = raw as unknown as RawBlock;
  const number = readQuantity(block.number);
  const time = readQuantity(block.timestamp);
  const { hash, parentHash, logsBloom, transactions } = block;
  if (number === null || time === null || !isHash(hash) || !isHash(parentHash) || !Array.isArray(transactions)) {
    throw new RpcError("malformed", "RPC: malformed block");
  }
  return {
    number,
    time,
    hash,
    parentHash,
    logsBloom: typeof logsBloom === "string" && /^0x[0-9a-f]{512}$/i.test(logsBloom) ? logsBloom : zeroBloom,
    transactions: transactions.map((entry: unknown) =>
      typeof entry === "string" ? entry : ((entry as BlockTransaction).hash ?? ""),
    ),
  };
}

const zeroBloom = `0x${"0".repeat(512)}`;

/** Parses a hex quantity; null for anything else. */
export function readQuantity(value: unknown): number | null {
  if (typeof value !== "string" || !value.startsWith("0x")) return null;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : null;
}

export function isHash(value: unknown): value is string {
  return typeof value === "string" && value.length === 66 && value.startsWith("0x");
}

/** Formats a block number for JSON-RPC. */
export function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Fetches the header at a height; null when the chain is shorter, or the node lags. */
export async function fetchHeader(
  rpc: RpcPool,
  number: number | "latest",
  signal?: AbortSignal,
): Promise<Header | null> {
  const tag = number === "latest" ? number : toQuantity(number);
  const header = readHeader((await rpc.batch([call(tag)], { signal }))[0]!);
  if (header && number !== "latest" && header.number !== number) throw wrongBlock(number);
  return header;
}

/**
 * Fetches the headers of a range of heights.
 *
 * @throws RpcError transient when a block is missing or does not follow its predecessor: the chain is changing.
 */
export async function fetchHeaders(rpc: RpcPool, from: number, to: number, signal?: AbortSignal): Promise<Header[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const answers = await rpc.batch(
    numbers.map((number) => call(toQuantity(number))),
    { signal },
  );
  const headers: Header[] = [];
  for (const [i, answer] of answers.entries()) {
    const header = readHeader(answer);
    const previous = headers.at(-1);
    if (header === null) throw new RpcError("transient", `RPC: block ${numbers[i]} is missing`);
    if (header.number !== numbers[i]) throw wrongBlock(numbers[i]!);
    if (previous && (header.parentHash !== previous.hash || header.time < previous.time)) {
      throw new RpcError("transient", `RPC: block ${header.number} does not follow its predecessor`);
    }
    headers.push(header);
  }
  return headers;
}

function call(tag: string) {
  return { method: "eth_getBlockByNumber", params: [tag, false] };
}

function wrongBlock(number: number): RpcError {
  return new RpcError("malformed", `RPC: the answer to block ${number} is another block`);
}

/**
 * Age in seconds from which a head is compared with another endpoint's head. Also the minimum lead, in seconds, of a
 * newer head that replaces it.
 */
const staleHeadSeconds = 15;
/** Minimum interval between requests to other endpoints while the chain has no new block. */
const compareEveryMs = 5_000;

const latest = [{ method: "eth_getBlockByNumber", params: ["latest", false] }];

/** Dependencies of `fetchHead`, and its state between calls. */
export type HeadContext = {
  rpc: RpcPool;
  clock: Pick<Clock, "now">;
  signal?: AbortSignal;
  /** Time of the last comparison of heads, in milliseconds; 0 before the first comparison. */
  headsComparedAt: number;
};

/**
 * Fetches the chain's head. A node that stopped following the chain still answers. So if another endpoint has a much
 * newer head, returns that head and penalizes the endpoint that answered first.
 *
 * @throws RpcError
 */
export async function fetchHead(context: HeadContext): Promise<Header> {
  const { rpc, signal } = context;
  let answeredBy = 0;
  const onAnswer = (endpoint: number) => {
    answeredBy = endpoint;
  };
  const head = readHeader((await rpc.batch(latest, { signal, onAnswer }))[0]!);
  if (!head) throw new RpcError("transient", "RPC: no latest block");
  const now = context.clock.now();
  const isDue = Math.abs(now - context.headsComparedAt) >= compareEveryMs;
  if (!isDue || now / 1000 - head.time < staleHeadSeconds) return head;
  const other = rpc.endpoints === 1 ? null : rpc.other(answeredBy);
  if (other === null) return head;
  context.headsComparedAt = now;
  // Skips an endpoint that does not answer; the next comparison uses the next endpoint.
  const [answer] = await rpc.batchSettled(latest, { signal, endpoint: other }).catch(() => []);
  if (answer === undefined || answer instanceof RpcError) return head;
  const otherHead = readHeader(answer);
  if (otherHead === null || otherHead.time - head.time < staleHeadSeconds || otherHead.number <= head.number)
    return head;
  rpc.penalize(answeredBy);
  return otherHead;
}
