/** Why something of the outside world was not taken. */
export type UntrustedFetchFailure =
  /** Not https, with credentials, or a name that only means something inside a network. */
  | "url_refused"
  /** The name stands for an address that is not public, or a port that is not allowed. */
  | "address_refused"
  | "too_many_redirects"
  | "name_unknown"
  /** No connection, no TLS, or the connection broke. */
  | "unreachable"
  /** Not finished by the deadline, or silent for too long. */
  | "too_slow"
  | "too_large"
  /** Another media type or content encoding than asked for. */
  | "wrong_type"
  /** Its compression is broken. */
  | "broken_body"
  /** The answer's status says that there is nothing. */
  | "bad_status"
  /** The caller gave up. */
  | "stopped";

const transientFailures: readonly UntrustedFetchFailure[] = ["name_unknown", "unreachable", "too_slow", "stopped"];

/** A fetch from the outside world that failed; the message never holds a body. */
export class UntrustedFetchError extends Error {
  override name = "OutsideFetchError";
  readonly code: UntrustedFetchFailure;
  /** Whether the same fetch may succeed soon. */
  readonly retryable: boolean;

  constructor(code: UntrustedFetchFailure, message: string, more: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, { cause: more.cause });
    this.code = code;
    this.retryable = more.retryable ?? transientFailures.includes(code);
  }
}
