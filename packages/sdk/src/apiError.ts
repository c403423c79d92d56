import { type ErrorCode, errorBody } from "@slipway/protocol/errors";

/**
 * A refusal or failure that the service answered.
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
  /** A code of the error table; `unexpected_answer` when what came was not from the service, e.g. a proxy's page. */
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

/** The error that an answer other than a success carries. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text();
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const shared = { status: response.status, retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null };
  const parsed = errorBody.safeParse(parseJson(text));
  if (parsed.success) {
    const { code, message, request_id, retryable, field, details } = parsed.data.error;
    return new ApiError({ ...shared, code, message, requestId: request_id, retryable, field, details });
  }
  return new ApiError({
    ...shared,
    code: "unexpected_answer",
    message: `The answer ${response.status} is not the service's: ${text.slice(0, 200)}`,
    requestId: response.headers.get("x-request-id"),
    retryable: response.status >= 500,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
