import { SlipwayError } from "@slipway/protocol/errors";
import {
  type FieldFault,
  type InputProblem,
  listNames,
  parseInput,
  toFieldName,
  toSentence,
} from "@slipway/protocol/parseInput";
import type { FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import type { Route } from "../route.ts";

const subjects: Record<string, string> = {
  body: "The body",
  querystring: "The query",
  params: "The path",
  headers: "The headers",
};

/**
 * Compiles schemas for Fastify: a refused value becomes an error of the table, with the field and the allowed values.
 */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart ?? "body";
  return (value: unknown) => {
    const parsed = parseInput(schema, value, subjects[part] ?? "The input");
    return parsed.ok ? { value: parsed.value } : { error: toError(part, parsed.problem, parsed.faults) };
  };
};

/** Parameters that are addresses; a fault of one of them has its own code. */
export const addressFields: ReadonlySet<string> = new Set(["address", "token", "wallet"]);

/** Names of request headers as documents write them, by their lower-case name. */
export const headerNames: Record<string, string> = {
  "idempotency-key": "Idempotency-Key",
  "if-match": "If-Match",
  "last-event-id": "Last-Event-ID",
  "payment-signature": "Payment-Signature",
};

/** Returns the error of a request part that does not match its schema: 422 for the body's fields, otherwise 400. */
function toError(part: string, { field, message, allowed }: InputProblem, fields: FieldFault[]): SlipwayError {
  const more = { ...(field !== undefined && { field }), ...(allowed && { details: { allowed } }) };
  if (part === "body") {
    return new SlipwayError("invalid_fields", message, { ...more, details: { ...more.details, fields } });
  }
  if (part === "querystring") return new SlipwayError("invalid_query", message, more);
  if (part === "headers" && field !== undefined) {
    const header = headerNames[field] ?? field;
    return field === "idempotency-key"
      ? new SlipwayError("idempotency_key_missing", undefined, { field: header })
      : new SlipwayError("invalid_request", message.replace(field, header), { field: header });
  }
  const isAddress = part === "params" && addressFields.has(field ?? "");
  return new SlipwayError(isAddress ? "invalid_address" : "invalid_request", message, more);
}

/**
 * Creates the check of the query of every route. Refuses a parameter that the route does not declare, because a caller
 * who misspells a parameter would get the answer to another query, and a parameter that is sent twice, because two
 * readers of the same URL could use different values. The schema validates the values, including empty ones.
 *
 * @returns A check of a parsed query that throws SlipwayError `invalid_query`.
 */
export function createCheckQuery({
  schemas,
  foreignQuery,
}: Pick<Route, "schemas" | "foreignQuery">): (query: unknown) => void {
  if (foreignQuery) return () => undefined;
  const allowed = schemas.query instanceof z.ZodObject ? Object.keys(schemas.query.shape) : [];
  const known = new Set(allowed);
  return (query) => {
    for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
      const field = toFieldName([name]);
      if (!known.has(name)) {
        const message = toSentence(field, `is not a query parameter here; ${listNames("the parameters", allowed)}`);
        throw new SlipwayError("invalid_query", message, { field, details: { allowed } });
      }
      if (Array.isArray(value)) {
        throw new SlipwayError("invalid_query", toSentence(field, "is sent more than once; send it once"), { field });
      }
    }
  };
}
