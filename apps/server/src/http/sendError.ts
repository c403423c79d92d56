import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorBody, type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { isStorageFailure } from "../db/database.ts";
import { RateLimited } from "./limits/policies.ts";
import type { Route } from "../route.ts";

/** Seconds after which a 503 or 429 may be retried, where the error names no other time. */
const defaultRetryAfterSeconds = 2;

const addressFields = new Set(["address", "token", "wallet"]);

/** The code of a request whose part does not match its schema: 422 for the body's fields, 400 for the rest. */
function toValidationError(error: FastifyError): SlipwayError {
  const first = error.validation?.[0];
  const field = first?.instancePath?.replace(/^\//, "") || undefined;
  const unknownKeys = (first?.params as { keys?: string[] } | undefined)?.keys;
  const what = first?.message ?? "is not valid";
  const message = field ? `${field}: ${what}` : what;
  switch (error.validationContext) {
    case "body":
      return new SlipwayError("invalid_fields", message, { field: field ?? unknownKeys?.[0] });
    case "headers":
      return field === "idempotency-key"
        ? new SlipwayError("idempotency_key_missing", undefined, { field: "Idempotency-Key" })
        : new SlipwayError("invalid_request", message, { field });
    case "params":
      return new SlipwayError(addressFields.has(field ?? "") ? "invalid_address" : "invalid_request", message, {
        field,
      });
    default:
      return new SlipwayError("invalid_query", message, { field });
  }
}

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
  if (hasZodFastifySchemaValidationErrors(failure)) return toValidationError(failure);
  const code = frameworkCodes[failure.code];
  if (code) return new SlipwayError(code, undefined, { cause: error });
  // Raised by the trigger app.require_account: the account was deleted while the request was under way.
  if ((error as { constraint?: string }).constraint === "account_deleted") {
    return new SlipwayError("unauthorized", "The account was deleted.", { cause: error });
  }
  if (isStorageFailure(failure)) return new SlipwayError("storage_unavailable", undefined, { cause: error });
  if (failure.statusCode !== undefined && failure.statusCode >= 400 && failure.statusCode < 500) {
    return new SlipwayError("invalid_request", undefined, { cause: error });
  }
  return new SlipwayError("internal_error", undefined, { cause: error });
}

/** The status of a code on a route. */
export function getErrorStatus(route: Pick<Route, "refusedBodyStatus">, code: ErrorCode): number {
  return (unreadableBody.has(code) ? route.refusedBodyStatus : undefined) ?? errorRow(code).status;
}

/** Codes of a body that cannot be read. */
const unreadableBody: ReadonlySet<ErrorCode> = new Set(["invalid_json", "body_too_large"]);

/** Sends any error as the `Error` body with the status of its code; logs what is the service's own fault. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toSlipwayError(error);
  const { fault } = errorRow(known.code);
  const status = getErrorStatus(request.routeOptions.config ?? {}, known.code);
  const fields = { code: known.code, status, route: request.routeOptions.url };
  if (known.code === "internal_error") request.log.error({ err: known.cause ?? known, ...fields }, "request failed");
  else if (fault === "caller") request.log.debug(fields, "request refused");
  else request.log.warn({ ...fields, reason: known.message, err: known.cause }, "request not served");

  const { headers, body } = formatError(known, request.id, status);
  // A string: no schema of the route's successes is applied to it.
  reply.code(status).headers(headers).send(body);
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
  if (known instanceof RateLimited) Object.assign(headers, known.headers);
  return { status, headers, body: JSON.stringify(body) };
}

/** The codes for errors of Node's HTTP parser and timers. */
const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Responds to what is no HTTP request (bytes that the strict parser refuses, headers that are too large or too slow)
 * with the `Error` body and closes the connection: where its next request begins is unknown.
 */
export function sendClientError(error: ConnectionError, socket: Socket, requestId: string): void {
  // Nothing may follow a response of which a part is sent already.
  const response = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || response?.headersSent) {
    socket.destroy();
    return;
  }
  endSocketWithError(socket, new SlipwayError(parserCodes[error.code] ?? "invalid_request"), requestId);
}

/** Security headers of responses that helmet does not reach; none of them is a page. */
export const securityHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** Sends an error over a connection that Fastify does not handle (a handshake, bytes that are no request) and ends it. */
export function endSocketWithError(socket: Duplex, error: SlipwayError, requestId: string): void {
  const { status, headers, body } = formatError(error, requestId);
  const all = {
    ...headers,
    ...securityHeaders,
    "x-request-id": requestId,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}
