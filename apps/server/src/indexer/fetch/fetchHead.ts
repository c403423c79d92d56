import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { Clock } from "../../deps.ts";
import { type Header, readHeader } from "./header.ts";

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
  rpc.distrust(answeredBy);
  return theirs;
}
