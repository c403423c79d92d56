import { SlipwayError } from "@slipway/protocol/errors";
import { BaseError } from "viem";
import { ZodError } from "zod";

/** Kinds of failed JSON-RPC requests, by what the caller can do. */
export type RpcErrorKind =
  /** Timeout, connection error, 5xx, rate limit: the same request may succeed later or at another endpoint. */
  | "transient"
  /** The node rejects the size of a log query: request a smaller range. */
  | "range"
  /** The node does not know the method. */
  | "unsupported"
  /** The response does not have the shape of the method. */
  | "malformed"
  /** The request budget is exhausted for longer than the caller may wait. No request was sent. */
  | "overBudget"
  /** The node rejected the request (execution reverted, invalid params): the same request fails again. */
  | "refused";

/**
 * A failed JSON-RPC request. The message contains the endpoint's number, never its URL, because URLs contain keys.
 */
export class RpcError extends Error {
  override name = "RpcError";
  readonly kind: RpcErrorKind;
  readonly code: number | undefined;
  /** The node's error data, such as revert data. */
  readonly data: unknown;

  constructor(kind: RpcErrorKind, message: string, code?: number, data?: unknown) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.data = data;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.kind === "transient" || this.kind === "malformed";
  }
}

/** Messages for a log query that is too large (Alchemy, Infura, QuickNode, Ankr, drpc, Geth, Nitro, Erigon, Chainstack). */
const rangePatterns = [
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

const transientPatterns = [
  /rate.?limit|too many requests|throttl|capacity|compute units|quota/i,
  /time.?out|timed out|temporar|try again|overload|unavailable|busy|internal error/i,
  /header not found|unknown block|not yet|block not found|missing trie node|syncing/i,
];

/**
 * Classifies the error object of a JSON-RPC response by what the caller can do.
 * Codes: JSON-RPC 2.0, 5.1 and EIP-1474; the patterns match vendors' messages.
 */
export function classifyRpcError(
  error: { code?: number; message?: string; data?: unknown },
  endpoint: number,
): RpcError {
  const text = typeof error.message === "string" ? error.message.slice(0, 300) : "no message";
  const message = `RPC endpoint ${endpoint}: ${text}`;
  const make = (kind: RpcError["kind"]) => new RpcError(kind, message, error.code, error.data);
  // anvil reports an error of a contract as -32603, "EVM error OutOfGas".
  if (error.code === 3 || /revert|^EVM error/i.test(text)) return make("refused");
  if (error.code === 429) return make("transient");
  if (
    error.code === -32601 ||
    /method .*(not (found|supported|available)|does not exist)|unsupported method/i.test(text)
  ) {
    return make("unsupported");
  }
  if (transientPatterns[0]!.test(text)) return make("transient");
  if (rangePatterns.some((pattern) => pattern.test(text))) return make("range");
  if (error.code === -32005) return make("range");
  if (error.code === -32603 || transientPatterns.some((pattern) => pattern.test(text))) return make("transient");
  return make("refused");
}

/** Finds the RpcError in an error, also in an error wrapped by viem; null if none exists. */
export function findRpcError(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  if (!(error instanceof BaseError)) return null;
  const found = error.walk((cause) => cause instanceof RpcError);
  return found instanceof RpcError ? found : null;
}

/**
 * Maps a failed or malformed RPC response to SlipwayError `chain_unavailable`; returns any other error unchanged.
 */
export function toChainUnavailable(error: unknown): unknown {
  const isMalformed = error instanceof ZodError;
  const rpc = findRpcError(error);
  if (rpc === null && !isMalformed) return error;
  const message = isMalformed
    ? "The chain's endpoint gave a malformed answer."
    : rpc?.kind === "overBudget"
      ? "The chain's endpoint is busy with other requests of this service."
      : undefined;
  return new SlipwayError("chain_unavailable", message, { cause: error });
}

/** Awaits a response of the chain. @throws SlipwayError `chain_unavailable` when the endpoint fails. */
export async function awaitChain<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw toChainUnavailable(error);
  }
}
