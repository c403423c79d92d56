import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorBody, type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { isStorageFailure } from "../db/database.ts";
import { RateLimited } from "./limits/rateLimited.ts";
import { statusOn } from "./registerRoute.ts";

/** Seconds after which a 503 or 429 may be tried again that does not know better. */
const retryAfterSeconds = 2;

const addressFields = new Set(["address", "token", "wallet"]);

/** What a part of the request that its schema refused is called: 422 for the body's fields, 400 for the rest. */
function fromValidation(error: FastifyError): SlipwayError {
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

/** Fastify's own codes, and what they are called here. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "invalid_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "invalid_json",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "invalid_json",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_request",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_BAD_URL: "invalid_request",
  FST_ERR_MAX_LIMIT: "invalid_request",
};

/** Any error as one of the table's. */
export function toSlipwayError(error: unknown): SlipwayError {
  if (error instanceof SlipwayError) return error;
  if (!(error instanceof Error)) return new SlipwayError("internal_error", undefined, { cause: error });
  const failure = error as FastifyError;
  if (hasZodFastifySchemaValidationErrors(failure)) return fromValidation(failure);
  const code = frameworkCodes[failure.code];
  if (code) return new SlipwayError(code, undefined, { cause: error });
  if (isStorageFailure(failure)) return new SlipwayError("storage_unavailable", undefined, { cause: error });
  if (failure.statusCode !== undefined && failure.statusCode >= 400 && failure.statusCode < 500) {
    return new SlipwayError("invalid_request", undefined, { cause: error });
  }
  return new SlipwayError("internal_error", undefined, { cause: error });
}

/** Answers any error as the `Error` body with the status of its code; logs what is our own fault. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toSlipwayError(error);
  const { fault } = errorRow(known.code);
  const status = statusOn(request.routeOptions.config ?? {}, known.code);
  const about = { code: known.code, status, route: request.routeOptions.url };
  if (known.code === "internal_error") request.log.error({ err: known.cause ?? known, ...about }, "request failed");
  else if (fault === "caller") request.log.debug(about, "request refused");
  else request.log.warn({ ...about, reason: known.message, err: known.cause }, "request could not be served");

  const answer = errorAnswer(known, request.id, status);
  // Sent as bytes: no schema of the route's successes is applied to it.
  reply.code(status).headers(answer.headers).send(answer.body);
}

/** An error as it goes over the wire, also where the framework does not answer; `status`: of its code when left out. */
export function errorAnswer(
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
    headers["retry-after"] = String(known.details?.retry_after_seconds ?? retryAfterSeconds);
  }
  if (known instanceof RateLimited) Object.assign(headers, known.headers);
  return { status, headers, body: JSON.stringify(body) };
}

/** What Node's parser and timers say, and what it is called here. */
const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Answers what is no HTTP request (bytes that the strict parser refuses, headers that are too large or too slow) with
 * the `Error` body, and closes the connection: where the next request on it would begin cannot be known.
 */
export function answerClientError(error: ConnectionError, socket: Socket, requestId: string): void {
  // A part of an answer may be on its way already: nothing may follow it.
  const answer = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  endWithError(socket, new SlipwayError(codes[error.code] ?? "invalid_request"), requestId);
}

/** What every answer says that is no page, where helmet does not reach. */
export const securityHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** Answers where no framework does (a handshake, bytes that are no request), and ends the connection. */
export function endWithError(socket: Duplex, error: SlipwayError, requestId: string): void {
  const { status, headers, body } = errorAnswer(error, requestId);
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
