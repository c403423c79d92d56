import { errorBody } from "@slipway/protocol/errorBody";
import { type ErrorCode, errorRow } from "@slipway/protocol/errors";
import type { Answer, AnswerHeader } from "@slipway/protocol/operations/operationDefinition";
import { z } from "zod";
import type { createDocument, oas31, ZodOpenApiExamplesObject, ZodOpenApiResponseObject } from "zod-openapi";
import type { Route } from "../../route.ts";
import { getLimitClass } from "../overload/limitRequest.ts";
import { getRouteErrors } from "../registerRoute.ts";
import { getErrorStatus } from "../sendError.ts";
import { errorSchemas } from "./errorSchemas.ts";
import { getAnswerExample } from "./operationExamples.ts";

type HeaderName =
  | AnswerHeader
  | "Cache-Control"
  | "ETag"
  | "Payment-Required"
  | "RateLimit"
  | "RateLimit-Policy"
  | "Retry-After"
  | "WWW-Authenticate"
  | "X-Request-Id";

/** The headers of responses, by name. Where a response has one that is not required, it is not always sent. */
export const responseHeaders: Record<HeaderName, oas31.HeaderObject> = {
  "Cache-Control": {
    description: "`no-store`, or how long the answer may be cached.",
    required: true,
    schema: { type: "string" },
    example: "no-store",
  },
  "Accept-Ranges": {
    description: "The resource supports byte ranges.",
    required: true,
    schema: { type: "string", const: "bytes" },
  },
  "Content-Range": {
    description: "The range of these bytes, and the total size.",
    required: true,
    schema: { type: "string" },
    example: "bytes 0-1023/51200",
  },
  "Content-Disposition": {
    description: "The file name for a download.",
    required: true,
    schema: { type: "string" },
    example: 'attachment; filename="slipway-account.json"',
  },
  "Credits-Remaining": {
    description: "The remaining credits of the account.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  ETag: {
    description:
      "The version of the answer. Send it as If-None-Match to revalidate, or as If-Match to change the resource.",
    required: true,
    schema: { type: "string" },
    example: '"kLyRXvoLmuu9yBNAGRmMBWd9NxE"',
  },
  Location: { description: "The URL of the redirect.", required: true, schema: { type: "string", format: "uri" } },
  "Payment-Required": {
    description:
      "Where the operator takes payments, an offer of x402 v2 (`PaymentRequired`) as JSON in base64, as in `details.x402`.",
    schema: { type: "string", contentEncoding: "base64" },
  },
  "Payment-Response": {
    description: "The `SettlementResponse` of x402 v2 as JSON in base64, once the payment has ended.",
    schema: { type: "string", contentEncoding: "base64" },
  },
  RateLimit: {
    description:
      "The remaining quota of the policy (`r`) and the seconds until its window ends (`t`). Reads have it once half of " +
      "the quota is used.",
    schema: { type: "string" },
    example: '"write";r=19;t=4',
  },
  "RateLimit-Policy": {
    description: "The rate limit of the request: its quota (`q`) and its window in seconds (`w`).",
    schema: { type: "string" },
    example: '"write";q=20;w=4',
  },
  "Retry-After": {
    description: "The number of seconds to wait before the next attempt.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  "Set-Cookie": { description: "Cookies of this site.", schema: { type: "string" } },
  "Slipway-Warning": {
    description: "Why assets that are sent to this address are lost.",
    schema: { type: "string", enum: ["zero_address", "address_checksum"] },
  },
  "WWW-Authenticate": {
    description: "The authentication scheme.",
    required: true,
    schema: { type: "string", const: "Bearer" },
  },
  "X-Request-Id": {
    description: "The id of the request; the body of an error has the same id.",
    required: true,
    schema: { type: "string" },
  },
};

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** Describes the error response of a status with these codes; `limited`: the request was counted before. */
export type DescribeError = (status: number, codes: readonly ErrorCode[], limited: boolean) => ZodOpenApiResponseObject;

/** Creates the function for one document: a response with one code is a component, which operations share. */
export function createDescribeError(): DescribeError {
  const shared = new Map<ErrorCode, ZodOpenApiResponseObject>();
  const describe: DescribeError = (status, codes, limited) => ({
    description: codes.map((code) => `\`${code}\`: ${errorRow(code).help}`).join(" "),
    headers: toHeaders([...commonHeaders, ...(limited ? limitHeaders : []), ...(errorHeaders[status] ?? [])]),
    content: { "application/json": { schema: describeErrors(codes), examples: toExampleReferences(codes) } },
  });
  return (status, codes, limited) => {
    const [code] = codes;
    if (code === undefined || codes.length > 1 || (!limited && !beforeLimits.has(status))) {
      return describe(status, codes, limited);
    }
    const response = shared.get(code) ?? { id: code, ...describe(status, codes, limited && !beforeLimits.has(status)) };
    shared.set(code, response);
    return response;
  };
}

/** The schema of an error with one of these codes, so that a client can narrow the code and its details. */
function describeErrors(codes: readonly ErrorCode[]): z.ZodType {
  const schemas = codes.map((code) => errorSchemas[code]);
  return schemas.length === 1 ? schemas[0]! : z.union(schemas);
}

/**
 * Describes the responses of a route: its successes, 304 where it has an ETag, and one response for each status of its
 * error codes, with an example of each code.
 */
export function describeResponses(
  route: Route,
  describeError: DescribeError,
): Record<`${number}` | "default", ZodOpenApiResponseObject> {
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  const limited = getLimitClass(route) !== "none";
  const isCacheable = route.cache !== undefined;
  const getHeaderNames = (status: number): HeaderName[] => [
    ...commonHeaders,
    // The ETag of a redirect's target belongs to the target's own response.
    ...(isCacheable && (status < 300 || status === 304) ? ["ETag" as const] : []),
    ...(limited ? limitHeaders : []),
  ];

  for (const [status, answer] of Object.entries(route.answers)) {
    responses[status] = {
      description: answer.description,
      headers: toHeaders([...getHeaderNames(Number(status)), ...(answer.headers ?? [])]),
      ...describeContent(answer, getAnswerExample(route.name, status)),
    };
  }
  if (isCacheable) {
    responses[304] = {
      description: "Not modified: If-None-Match has the ETag of this answer.",
      headers: toHeaders(getHeaderNames(304)),
    };
  }
  const byStatus = Map.groupBy(getRouteErrors(route), (code) => getErrorStatus(route, code));
  for (const [status, codes] of byStatus) responses[status] = describeError(status, codes, limited);
  // A route without 2xx; OpenAPI validators require a 2xx or a default, and all other answers are errors.
  if (!Object.keys(route.answers).some((status) => status.startsWith("2"))) {
    responses.default = {
      description: "All other answers are errors.",
      headers: toHeaders(commonHeaders),
      content: { "application/json": { schema: errorBody } },
    };
  }
  return responses;
}

const commonHeaders: readonly HeaderName[] = ["X-Request-Id", "Cache-Control"];
const limitHeaders = ["RateLimit-Policy", "RateLimit"] as const;
/** Statuses of requests that are refused before they are counted. */
const beforeLimits: ReadonlySet<number> = new Set([408, 431]);
const errorHeaders: Record<number, HeaderName[]> = {
  401: ["WWW-Authenticate"],
  402: ["Payment-Required"],
  403: ["Payment-Required"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const toHeaders = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const toExampleReferences = (codes: readonly ErrorCode[]) =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));

function describeContent(
  { schema, contentType, messages, csv }: Answer,
  examples: ZodOpenApiExamplesObject | undefined,
) {
  const type = contentType ?? (schema && "application/json");
  if (type === undefined) return {};
  const bytes: oas31.SchemaObject = { type: "string", ...(!type.startsWith("text/") && { format: "binary" }) };
  return {
    content: {
      [type]: { schema: schema ?? messages ?? bytes, ...(examples && { examples }) },
      ...(csv && { "text/csv": { schema: { type: "string" as const } } }),
    },
  };
}

/**
 * Replaces the schema of a stream's body, which describes its messages, by text that contains them. OpenAPI 3.1 has no
 * keyword for the messages of a stream; JSON Schema's `contentSchema` describes the content of a text.
 */
export function describeStreams(document: OpenApiDocument): void {
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    const responses: Record<string, oas31.ResponseObject> = (operation as oas31.OperationObject).responses ?? {};
    const content = Object.values(responses).map((response) => response.content?.[eventStream]);
    for (const stream of content.filter((one) => one !== undefined)) {
      const described = { type: "string", contentMediaType: eventStream, contentSchema: stream.schema };
      stream.schema = described as oas31.SchemaObject;
    }
  }
}

const eventStream = "text/event-stream";
