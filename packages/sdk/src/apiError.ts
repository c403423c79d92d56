import type { ErrorBody } from "@slipway/protocol/errorBody";
import type { ErrorCode } from "@slipway/protocol/errors";

/**
 * An error answer of the service.
 *
 * @example
 * try {
 *   await client.prepareTrade(request);
 * } catch (error) {
 *   if (error instanceof ApiError && error.code === "insufficient_balance") showShortage(error.details);
 *   else throw error;
 * }
 */
export class ApiError extends Error {
  override name = "ApiError";
  /**
   * A code of the error table. `unexpected_answer` for a response of another program, e.g. the page of a proxy, and for
   * a code of a later version; in the latter case the message is the service's.
   */
  readonly code: ErrorCode | "unexpected_answer";
  readonly status: number;
  readonly requestId: string | null;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
  readonly field: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(options: {
    code: ErrorCode | "unexpected_answer";
    message: string;
    status: number;
    requestId: string | null;
    retryable: boolean;
    retryAfterSeconds: number | null;
    field?: string | undefined;
    details?: Record<string, unknown> | undefined;
    cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryable = options.retryable;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.field = options.field;
    this.details = options.details;
  }
}

/**
 * Parses the error of a response that is not a success.
 *
 * @param isKnownCode - Whether this version has a code. The checked client passes it; pages have the same release as the
 *   service and load no error table.
 */
export async function toApiError(
  response: Response,
  isKnownCode: (code: string) => boolean = () => true,
): Promise<ApiError> {
  const text = await response.text();
  const shared = { status: response.status, retryAfterSeconds: secondsUntil(response.headers.get("retry-after")) };
  const sent = (parseJson(text) as { error?: unknown } | null | undefined)?.error;
  if (isServiceError(sent)) {
    const { message, request_id, retryable, field, details } = sent;
    const code = isKnownCode(sent.code) ? sent.code : "unexpected_answer";
    return new ApiError({ ...shared, code, message, requestId: request_id, retryable, field, details });
  }
  return new ApiError({
    ...shared,
    code: "unexpected_answer",
    message: `The answer ${response.status} is not the service's: ${text.slice(0, 200)}`,
    requestId: response.headers.get("x-request-id"),
    retryable: response.status >= 500 || response.status === 429 || response.status === 408,
  });
}

/** Checks the form of an `Error`, whose code may be of a later version. Handwritten, because pages load no schemas. */
function isServiceError(value: unknown): value is ErrorBody["error"] {
  if (typeof value !== "object" || value === null) return false;
  const { code, message, request_id, retryable, field, details } = value as Record<string, unknown>;
  return (
    [code, message, request_id].every((text) => typeof text === "string") &&
    typeof retryable === "boolean" &&
    (field === undefined || typeof field === "string") &&
    (details === undefined || (typeof details === "object" && details !== null && !Array.isArray(details)))
  );
}

/** Parses `Retry-After`, in seconds or as the date that proxies send (RFC 9110, 10.2.3), into seconds. */
function secondsUntil(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
