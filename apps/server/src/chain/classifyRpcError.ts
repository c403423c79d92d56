import { RpcError } from "./rpcError.ts";

/** How vendors say that a log query is too large (Alchemy, Infura, QuickNode, Ankr, drpc, Geth, Nitro, Erigon, Chainstack). */
const rangeWordings = [
  /block range/i,
  /range is too (large|wide)/i,
  /range (limit|too large|exceed)/i,
  /(exceed|over|limited to|more than|maximum).{0,40}(block|results|logs|range)/i,
  /query returned more than/i,
  /too many (results|logs|blocks)/i,
  /response (size|is too big|too large)/i,
  /log response size/i,
  /(result|response) set too large/i,
  /query (timeout|exceeds)/i,
];

const transientWordings = [
  /rate.?limit|too many requests|throttl|capacity|compute units|quota/i,
  /time.?out|timed out|temporar|try again|overload|unavailable|busy|internal error/i,
  /header not found|unknown block|not yet|block not found|missing trie node|syncing/i,
];

/**
 * Sorts an error object of a JSON-RPC answer by what the caller can do about it.
 * Codes: JSON-RPC 2.0, 5.1 and EIP-1474; the wordings are those vendors use in place of codes.
 */
export function classifyRpcError(
  error: { code?: number; message?: string; data?: unknown },
  endpoint: number,
): RpcError {
  const said = typeof error.message === "string" ? error.message.slice(0, 300) : "no message";
  const message = `RPC endpoint ${endpoint}: ${said}`;
  const make = (kind: RpcError["kind"]) => new RpcError(kind, message, error.code, error.data);
  if (error.code === 3 || /revert/i.test(said)) return make("refused");
  if (error.code === 429) return make("transient");
  if (
    error.code === -32601 ||
    /method .*(not (found|supported|available)|does not exist)|unsupported method/i.test(said)
  ) {
    return make("unsupported");
  }
  if (transientWordings[0]!.test(said)) return make("transient");
  if (rangeWordings.some((wording) => wording.test(said))) return make("range");
  if (error.code === -32005) return make("range");
  if (error.code === -32603 || transientWordings.some((wording) => wording.test(said))) return make("transient");
  return make("refused");
}
