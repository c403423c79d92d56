import { RpcError } from "../../chain/rpcError.ts";
import type { Raw, RpcPool } from "../../chain/rpcPool.ts";
import type { Clock } from "../../clock.ts";

/** A block's header, as far as the index needs it. */
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

/** Checks an eth_getBlockBy... answer; null when the node has no such block. @throws RpcError malformed */
export function readHeader(raw: Raw<unknown>): Header | null {
  if (raw === null) return null;
  const block = raw as unknown as RawBlock;
  const number = readQuantity(block.number);
  const time = readQuantity(block.timestamp);
  const { hash, parentHash, logsBloom, transactions } = block;
  if (number === null || time === null || !isHash(hash) || !isHash(parentHash) || !Array.isArray(transactions)) {
    throw new RpcError("malformed", "RPC: a block has not the shape of one");
  }
  return {
    number,
    time,
    hash,
    parentHash,
    logsBloom: typeof logsBloom === "string" && logsBloom.length === 514 ? logsBloom : zeroBloom,
    transactions: transactions.map((entry: unknown) =>
      typeof entry === "string" ? entry : ((entry as BlockTransaction).hash ?? ""),
    ),
  };
}

const zeroBloom = `0x${"0".repeat(512)}`;

/** A hex quantity as a number; null when it is none. */
export function readQuantity(value: unknown): number | null {
  if (typeof value !== "string" || !value.startsWith("0x")) return null;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : null;
}

export function isHash(value: unknown): value is string {
  return typeof value === "string" && value.length === 66 && value.startsWith("0x");
}

/** A block number as JSON-RPC wants it. */
export function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** The header at a height, or null when the chain is not that long (or this node lags). */
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
 * Headers of a range of heights.
 *
 * @throws RpcError transient when a block is missing or two do not follow each other: the chain is changing under us.
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
    if (header === null) throw new RpcError("transient", `RPC: block ${numbers[i]} is not there yet`);
    if (header.number !== numbers[i]) throw wrongBlock(numbers[i]!);
    if (previous && (header.parentHash !== previous.hash || header.time < previous.time)) {
      throw new RpcError("transient", `RPC: block ${header.number} does not follow the one before`);
    }
    headers.push(header);
  }
  return headers;
}

function call(tag: string) {
  return { method: "eth_getBlockByNumber", params: [tag, false] };
}

function wrongBlock(number: number): RpcError {
  return new RpcError("malformed", `RPC: asked for block ${number}, got another`);
}

/** From this age on, in seconds, a head is held against another endpoint's; and how much newer that one must be. */
const oldSeconds = 15;
/** A chain may be quiet for long: so often the other endpoint is asked then. */
const compareEveryMs = 5_000;

const latest = [{ method: "eth_getBlockByNumber", params: ["latest", false] }];

/** When heads were last compared, in milliseconds. */
const comparedAt = new WeakMap<RpcPool, number>();

/**
 * The chain's head. A node that stopped following the chain goes on answering, and would be believed for ever: where
 * there is another endpoint with a much newer head, the one that answered rests and that head counts.
 *
 * @throws RpcError
 */
export async function fetchHead(rpc: RpcPool, clock: Pick<Clock, "now">, signal?: AbortSignal): Promise<Header> {
  let answeredBy = 0;
  const onAnswer = (endpoint: number) => {
    answeredBy = endpoint;
  };
  const head = readHeader((await rpc.batch(latest, { signal, onAnswer }))[0]!);
  if (!head) throw new RpcError("transient", "RPC: no latest block");
  const now = clock.now();
  const isDue = Math.abs(now - (comparedAt.get(rpc) ?? 0)) >= compareEveryMs;
  if (!isDue || now / 1000 - head.time < oldSeconds) return head;
  const other = rpc.endpoints === 1 ? null : rpc.other(answeredBy);
  if (other === null) return head;
  comparedAt.set(rpc, now);
  // One that does not answer says nothing; the next in line is asked the next time.
  const [answer] = await rpc.batchSettled(latest, { signal, endpoint: other }).catch(() => []);
  if (answer === undefined || answer instanceof RpcError) return head;
  const theirs = readHeader(answer);
  if (theirs === null || theirs.time - head.time < oldSeconds || theirs.number <= head.number) return head;
  rpc.penalize(answeredBy);
  return theirs;
}
