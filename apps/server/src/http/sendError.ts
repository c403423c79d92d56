import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ErrorBody } from "@slipway/protocol/errorBody";
import { type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { ConnectionError, FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isStorageFailure } from "../db/database.ts";
import type { Route } from "../route.ts";
import { ErrorWithHeaders } from "./errorWithHeaders.ts";

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
  // Before the database's: of a caller that leaves during its upload the platform reports ECONNRESET, too.
  if (failure.statusCode !== undefined && failure.statusCode >= 400 && failure.statusCode < 500) {
    return new SlipwayError("invalid_request", undefined, { cause: error });
  }
  if (isStorageFailure(failure)) return new SlipwayError("storage_unavailable", undefined, { cause: error });
  return new SlipwayError("internal_error", undefined, { cause: error });
}

/** What an error was answered with. */
export type SentError = { status: number; code: ErrorCode };

/** The status of a code on a route. */
export function getErrorStatus(route: Pick<Route, "refusedBodyStatus">, code: ErrorCode): number {
  return (unreadableBody.has(code) ? route.refusedBodyStatus : undefined) ?? errorRow(code).status;
}

/** Codes of a body that cannot be read. */
const unreadableBody: ReadonlySet<ErrorCode> = new Set(["invalid_json", "body_too_large", "unsupported_encoding"]);

/** Answers that follow from what the operator left out or closed; the start or the station's monitor has logged it. */
const closedByOperator: ReadonlySet<ErrorCode> = new Set([
  "manifest_missing",
  "provider_unavailable",
  "gas_station_unavailable",
]);

/**
 * Logs an error answer at the level at which an operator must know it: a 4xx is the caller's, or the state of the chain,
 * and any caller could fill the log with it; it is counted instead (`Metrics.refused`).
 *
 * @param what - Subject of the event: `request`, or `websocket handshake`.
 */
export function logErrorAnswer(
  log: Pick<FastifyBaseLogger, "error" | "warn" | "info" | "debug">,
  known: SlipwayError,
  what: string,
  more: { status?: number; route?: string | undefined } = {},
): void {
  const status = more.status ?? errorRow(known.code).status;
  const fields = { code: known.code, ...more, status };
  const explained = { ...fields, reason: known.message, err: known.cause };
  if (known.code === "internal_error") log.error({ err: known.cause ?? known, ...fields }, `${what} failed`);
  else if (status < 500) log.debug(fields, `${what} refused`);
  else if (closedByOperator.has(known.code)) log.info(explained, `${what} not served`);
  else log.warn(explained, `${what} not served`);
}

/** Sends any error as the `Error` body with the status of its code, and logs it. @returns the status and the code. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): SentError {
  const found = toSlipwayError(error);
  // A Content-Type that cannot be read is refused before the reader of uploads sees it.
  const isOfFile = found.code === "invalid_json" && request.routeOptions.config?.takesFile === true;
  const known = isOfFile
    ? new SlipwayError("invalid_request", "The Content-Type is not multipart/form-data.")
    : toFieldOfBody(found, request.routeOptions.config?.tooLargeField);
  const status = getErrorStatus(request.routeOptions.config ?? {}, known.code);
  logErrorAnswer(request.log, known, "request", { status, route: request.routeOptions.url });

  const { headers, body } = formatError(known, request.id, status);
  // A string: no schema of the route's successes is applied to it.
  reply.code(status).headers(headers).send(body);
  return { status, code: known.code };
}

/** Where one field alone can make a body too large, that field is what is wrong. */
function toFieldOfBody(found: SlipwayError, field: string | undefined): SlipwayError {
  if (found.code !== "body_too_large" || field === undefined) return found;
  return new SlipwayError("invalid_fields", `${field} is too long; the body is larger than this endpoint takes.`, {
    field,
  });
}

/**
 * Formats an error response, also where Fastify does not respond.
 *
 * @param status - That of the code when left out.
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

/** Amounts in details, as everywhere on the wire; JSON has no way to write a bigint. */
const toDecimals = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** The codes for errors of Node's HTTP parser and timers. */
const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Responds to what is no HTTP request (bytes that the strict parser refuses, headers that are too large or too slow)
 * with the `Error` body and closes the connection: where its next request begins is unknown.
 *
 * @returns the status and the code; null when the caller is gone or has had its answer.
 */
export function sendClientError(error: ConnectionError, socket: Socket, requestId: string): SentError | null {
  if (error.code === "ECONNRESET") socket.destroy();
  if (!socket.writable) return null;
  const code = parserCodes[error.code] ?? "invalid_request";
  endSocketInTurn(socket, new SlipwayError(code), requestId);
  return { status: errorRow(code).status, code };
}

/** The first response of a connection that has not been sent completely. */
export function getPendingResponse(socket: Duplex): ServerResponse | null {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}

/**
 * Ends a connection with an error: the response to what follows the requests that were read. Those get their own
 * responses first, since a client takes the first response for the answer to its first request.
 */
export function endSocketInTurn(socket: Socket, error: SlipwayError, requestId: string): void {
  // Ended by an earlier error of the same connection: it closes when that is sent.
  if (socket.writableEnded) return;
  const pending = getPendingResponse(socket);
  const isStream = pending?.headersSent && !pending.writableEnded;
  if (!socket.writable || isStream) {
    socket.destroy();
  } else if (pending?.req.complete) {
    // What follows could only be more of the same error.
    socket.pause();
    pending.once("close", () => endSocketInTurn(socket, error, requestId));
  } else if (pending?.headersSent) {
    socket.destroy();
  } else {
    endSocketWithError(socket, error, requestId);
  }
}

/** Security headers of responses that helmet does not reach; none of them is a page. */
export const securityHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/**
 * Sends an error over a connection that Fastify does not handle (a handshake, bytes that are no request) and ends it. No
 * response may be pending on it.
 */
export function endSocketWithError(socket: Duplex, error: SlipwayError, requestId: string): void {
  const { status, headers, body } = formatError(error, requestId);
  const all = {
    connection: "close",
    ...headers,
    ...securityHeaders,
    // Whose page asked may be unknown here; one that sent no cookie may read why it failed.
    "access-control-allow-origin": "*",
    "x-request-id": requestId,
    "content-length": String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}
