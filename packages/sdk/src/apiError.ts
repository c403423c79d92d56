import { type ErrorCode, errorBody } from "@slipway/protocol/errors";

/**
 * An error that the service answered.
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
   * A code of the error table; `unexpected_answer` for a response of another program, e.g. a proxy's page, or with a code
   * of a later version, whose message and advice are then those of the service.
   */
  readonly code: ErrorCode | "unexpected_answer";
  readonly status: number;
  readonly requestId: string | null;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
  readonly field: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(about: {
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
    super(about.message, { cause: about.cause });
    this.code = about.code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.retryable = about.retryable;
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.field = about.field;
    this.details = about.details;
  }
}

const { error: serviceError } = errorBody.shape;
const withoutCode = serviceError.omit({ code: true });

/** Parses the error of a response that is not a success. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text();
  const shared = { status: response.status, retryAfterSeconds: secondsUntil(response.headers.get("retry-after")) };
  const sent = (parseJson(text) as { error?: unknown } | null | undefined)?.error;
  const parsed = withoutCode.safeParse(sent);
  if (parsed.success) {
    const { message, request_id, retryable, field, details } = parsed.data;
    const code = serviceError.safeParse(sent).data?.code ?? "unexpected_answer";
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

/** Seconds until the time of `Retry-After`: seconds, or a date as proxies send it (RFC 9110, 10.2.3). */
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
