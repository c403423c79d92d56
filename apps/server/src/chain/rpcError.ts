/** What the caller can do about a failed JSON-RPC request. */
export type RpcErrorKind =
  /** Timeout, connection, 5xx, rate limit, "try again": the same request may succeed later or elsewhere. */
  | "transient"
  /** The node refuses the size of a log query: ask for a smaller range. */
  | "range"
  /** The node does not know the method. */
  | "unsupported"
  /** The answer has not the shape that the method promises. */
  | "malformed"
  /** More waits for this process's own budget of requests than the caller has patience for; no node was asked. */
  | "crowded"
  /** The node understood and refused (execution reverted, invalid params): the same request fails again. */
  | "refused";

/**
 * A failed JSON-RPC request. Its message names the endpoint by number, never by URL: URLs carry keys.
 */
export class RpcError extends Error {
  override name = "RpcError";
  readonly kind: RpcErrorKind;
  readonly code: number | undefined;
  /** Revert data and the like, as the node sent it. */
  readonly data: unknown;

  constructor(kind: RpcErrorKind, message: string, code?: number, data?: unknown) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.data = data;
  }

  /** The same request may succeed when it is sent again. */
  get retryable(): boolean {
    return this.kind === "transient" || this.kind === "malformed";
  }
}
