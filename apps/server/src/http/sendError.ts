import type { ErrorBody } from "@slipway/protocol/errorBody";
import { type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isStorageFailure } from "../db/isStorageFailure.ts";
import type { Route } from "../route.ts";

/** An error whose response has headers of its own. */
export class ErrorWithHeaders extends SlipwayError {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param message - Default: the table's `help`. */
  constructor(
    code: ErrorCode,
    message: string | undefined,
    headers: Readonly<Record<string, string>>,
    details?: Record<string, unknown>,
  ) {
    super(code, message, details && { details });
    this.headers = headers;
  }
}

/** Seconds after which a 503 or 429 may be retried, where the error names no other time. */
const defaultRetryAfterSeconds = 2;

/** The codes for Fastify's own errors. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "invalid_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "invalid_json",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "invalid_json",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_request",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_BAD_URL: "invalid_request",
  FST_ERR_MAX_LIMIT: "invalid_request",
};

/** Converts any error to one of the error table. */
export function toSlipwayError(error: unknown): SlipwayError {
  if (error instanceof SlipwayError) return error;
  if (!(error instanceof Error)) return new SlipwayError("internal_error", undefined, { cause: error });
  const failure = error as FastifyError;
  const code = frameworkCodes[failure.code];
  if (code) return new SlipwayError(code, undefined, { cause: error });
  // Raised by the trigger app.require_account: the account was deleted while the request was under way.
  if ((error as { constraint?: string }).constraint === "account_deleted") {
    return new SlipwayError("unauthorized", "The account was deleted.", { cause: error });
  }
  // Precedes the check of the database: Node.js also reports ECONNRESET when a caller leaves during its upload.
  if (failure.statusCode !== undefined && failure.statusCode >= 400 && failure.statusCode < 500) {
    return new SlipwayError("invalid_request", undefined, { cause: error });
  }
  if (isStorageFailure(failure)) {
    // read_only_sql_transaction: the primary became a replica, or the operator made it read-only.
    const message = failure.code === "25006" ? "The database takes no writes now; reads continue." : undefined;
    return new SlipwayError("storage_unavailable", message, { cause: error });
  }
  return new SlipwayError("internal_error", undefined, { cause: error });
}

/** The status and the code of an error that was sent. */
export type SentError = { status: number; code: ErrorCode };

/** The status of a code on a route. */
export function getErrorStatus(route: Pick<Route, "refusedBodyStatus">, code: ErrorCode): number {
  return (unreadableBody.has(code) ? route.refusedBodyStatus : undefined) ?? errorRow(code).status;
}

/** Codes of a body that cannot be read. */
const unreadableBody: ReadonlySet<ErrorCode> = new Set(["invalid_json", "body_too_large", "unsupported_encoding"]);

/** Codes of services that the operator has not configured or has closed; another log line has already reported them. */
const closedByOperator: ReadonlySet<ErrorCode> = new Set([
  "manifest_missing",
  "provider_unavailable",
  "gas_station_unavailable",
  "payment_unavailable",
]);

/**
 * Logs an error response. A 4xx is logged at `debug`, so that no caller can fill the log, and counted instead
 * (`Metrics.refused`).
 *
 * @param subject - Subject of the log line: `request`, or `websocket handshake`.
 */
export function logErrorAnswer(
  log: Pick<FastifyBaseLogger, "error" | "warn" | "info" | "debug">,
  known: SlipwayError,
  subject: string,
  more: { status?: number; route?: string | undefined } = {},
): void {
  const status = more.status ?? errorRow(known.code).status;
  const fields = { code: known.code, ...more, status };
  const explained = { ...fields, reason: known.message, err: known.cause };
  if (known.code === "internal_error") log.error({ err: known.cause ?? known, ...fields }, `${subject} failed`);
  else if (status < 500) log.debug(fields, `${subject} refused`);
  else if (closedByOperator.has(known.code)) log.info(explained, `${subject} not served`);
  else log.warn(explained, `${subject} not served`);
}

/** Sends any error as the `Error` body with the status of its code, and logs it. @returns the status and the code. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): SentError {
  const found = toSlipwayError(error);
  // Fastify refuses an unreadable Content-Type before the upload's reader runs.
  const isOfFile = found.code === "invalid_json" && request.routeOptions.config?.takesFile === true;
  const known = isOfFile
    ? new SlipwayError("invalid_request", "The Content-Type is not multipart/form-data.")
    : toFieldOfBody(found, request.routeOptions.config?.tooLargeField);
  const status = getErrorStatus(request.routeOptions.config ?? {}, known.code);
  logErrorAnswer(request.log, known, "request", { status, route: request.routeOptions.url });

  const { headers, body } = formatError(known, request.id, status);
  // A string bypasses the schema of the route's successful responses.
  reply.code(status).headers(headers).send(body);
  return { status, code: known.code };
}

/** Names the field when only one field of the body can make it too large. */
function toFieldOfBody(found: SlipwayError, field: string | undefined): SlipwayError {
  if (found.code !== "body_too_large" || field === undefined) return found;
  return new SlipwayError("invalid_fields", `${field} is too long; the body is larger than this endpoint takes.`, {
    field,
  });
}

/**
 * Formats an error response.
 *
 * @param status - Default: the status of the code.
 */
export function formatError(
  known: SlipwayError,
  requestId: string,
  status: number = errorRow(known.code).status,
): { status: number; headers: Record<string, string>; body: string } {
  const body: ErrorBody = {
    error: {
      code: known.code,
      message: known.message,
      request_id: requestId,
      retryable: errorRow(known.code).retryable,
      ...(known.field === undefined ? {} : { field: known.field }),
      ...(known.details === undefined ? {} : { details: known.details }),
    },
  };
  const headers: Record<string, string> = {
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
  };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (status === 503 || status === 429) {
    headers["retry-after"] = String(known.details?.retry_after_seconds ?? defaultRetryAfterSeconds);
  }
  if (known instanceof ErrorWithHeaders) Object.assign(headers, known.headers);
  return { status, headers, body: JSON.stringify(body, toDecimals) };
}

/** Formats amounts as decimals, as everywhere in the API; JSON has no bigint. */
const toDecimals = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
