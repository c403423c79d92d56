/** Why a fetch failed. */
export type UntrustedFetchFailure =
  /** Not https, with credentials, or a name that resolves only inside a network. */
  | "url_refused"
  /** The name resolves to an address that is not public, or the port is not allowed. */
  | "address_refused"
  | "too_many_redirects"
  | "name_unknown"
  /** Connection or TLS failed, or the connection broke. */
  | "unreachable"
  /** Not finished by the deadline, or idle for too long. */
  | "too_slow"
  | "too_large"
  /** Another media type or content encoding than the accepted ones. */
  | "wrong_type"
  /** The compressed body is invalid. */
  | "broken_body"
  /** The status is neither 2xx nor a redirect. */
  | "bad_status"
  /** Aborted by the caller. */
  | "stopped";

const transientFailures: readonly UntrustedFetchFailure[] = ["name_unknown", "unreachable", "too_slow", "stopped"];

/** A failed fetch of an untrusted URL; the message never contains a body. */
export class UntrustedFetchError extends Error {
  override name = "UntrustedFetchError";
  readonly code: UntrustedFetchFailure;
  /** Whether the same fetch may succeed soon. */
  readonly retryable: boolean;

  constructor(code: UntrustedFetchFailure, message: string, more: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, { cause: more.cause });
    this.code = code;
    this.retryable = more.retryable ?? transientFailures.includes(code);
  }
}
