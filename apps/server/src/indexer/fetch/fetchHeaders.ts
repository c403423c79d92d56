import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { type Header, readHeader, toQuantity } from "./header.ts";

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
