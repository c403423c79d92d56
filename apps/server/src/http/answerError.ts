import { type ErrorBody, type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { RateLimited } from "./limits/rateLimited.ts";
import { statusOn } from "./routeErrors.ts";

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

/** What passes by itself: PostgreSQL's connection, resource and rollback failures by SQLSTATE, node-postgres's by text. */
function isStorageFailure(error: Error & { code?: string }): boolean {
  if (/^(08|40|53|57|25006|58)/.test(error.code ?? "") && /^[0-9A-Z]{5}$/.test(error.code ?? "")) return true;
  if (["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT"].includes(error.code ?? "")) return true;
  return /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|after calling end on the pool/.test(
    error.message,
  );
}

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
