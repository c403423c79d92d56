import type { FileBody } from "@slipway/protocol/operations/operationDefinition";
import { z } from "zod";
import type { oas31, ZodOpenApiOperationObject } from "zod-openapi";
import type { Route } from "../../route.ts";
import { getRequiredScope } from "../guard.ts";
import { headerNames } from "../validateInput.ts";
import { type DescribeError, describeResponses } from "./describeResponses.ts";
import { getRequestExample } from "./operationExamples.ts";

/** Describes a route as an operation of the OpenAPI document. */
export function describeOperation(route: Route, describeError: DescribeError): ZodOpenApiOperationObject {
  const { query, params, headers, body } = route.schemas;
  const parameters = [
    ...describeParameters("path", params),
    ...describeParameters("query", query),
    ...describeParameters("header", headers),
    ...(route.cache === undefined ? [] : [ifNoneMatch]),
  ];
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, describeCredential(route)].filter(Boolean).join("\n\n"),
    security: describeSecurity(route),
    ...(route.auth === "bearer" && !needsSession(route) && { "x-required-scope": getRequiredScope(route) }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.file && { requestBody: describeFile(route.file) }),
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: body, examples: getRequestExample(route.name) } },
      },
    }),
    responses: describeResponses(route, describeError),
  };
}

/** Describes a body with one file. */
function describeFile({ description, contentTypes }: FileBody): oas31.RequestBodyObject {
  const schema: oas31.SchemaObject = {
    type: "object",
    properties: { file: { type: "string", format: "binary", description } },
    required: ["file"],
    additionalProperties: false,
  };
  const encoding = { file: { contentType: contentTypes.join(", ") } };
  return { required: true, content: { "multipart/form-data": { schema, encoding } } };
}

/** Whether only a browser's session may call a route, never an API key. */
const needsSession = (route: Route) => route.recentSignIn === true || route.errors.includes("session_required");

/**
 * Describes the accepted credentials of a route, each sufficient by itself. The required scope of a key is apart from them,
 * because validators know scopes of OAuth only.
 */
function describeSecurity(route: Route): oas31.SecurityRequirementObject[] {
  if (route.auth === "public") return [];
  const scope = getRequiredScope(route);
  if (scope === "admin") return [{ admin: [] }];
  if (needsSession(route)) return [{ session: [] }];
  return [{ bearer: [] }, { session: [] }];
}

function describeCredential(route: Route): string {
  if (route.auth === "public") return "No credential is needed.";
  if (route.recentSignIn) return "Needs a session that signed in within the last 10 minutes; API keys are refused.";
  if (needsSession(route)) return "Needs a session; API keys are refused.";
  const scope = getRequiredScope(route);
  const key = `Needs an API key with the scope \`${scope}\``;
  return [
    scope === "admin" ? `${key}; sessions are refused.` : `${key}, or a session.`,
    route.plan === undefined ? "" : ` The account needs the plan \`${route.plan}\`.`,
    route.credits === undefined
      ? ""
      : ` Costs ${route.credits} ${route.credits === 1 ? "credit" : "credits"}${route.creditsFor ? ` for each of the ${route.creditsFor}` : ""}, refunded on failure.`,
  ].join("");
}

const ifNoneMatch: oas31.ParameterObject = {
  in: "header",
  name: "If-None-Match",
  required: false,
  description: "The ETags of stored answers; the answer is 304 if one of them is still current.",
  schema: { type: "string" },
};

function describeParameters(
  place: "path" | "query" | "header",
  schema: z.ZodType | undefined,
): oas31.ParameterObject[] {
  if (schema === undefined) return [];
  if (!(schema instanceof z.ZodObject)) throw new Error(`the ${place} parameters are no object`);
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...rest } = toParameterSchema(field);
    return {
      in: place,
      name: place === "header" ? (headerNames[name] ?? name) : name,
      required: !field.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/**
 * Converts the schema of a parameter. Every parameter arrives as text; a parameter that is parsed to a number is
 * described as a number, with its limits and default.
 */
function toParameterSchema(field: z.ZodType): oas31.SchemaObject {
  const convert = (io: "input" | "output") => {
    const { $schema: _, ...converted } = z.toJSONSchema(field, { io, unrepresentable: "any" });
    return converted as oas31.SchemaObject;
  };
  const [sent, parsed] = [convert("input"), convert("output")];
  if (parsed.type !== "integer" && parsed.type !== "number" && parsed.type !== "boolean") return sent;
  const absent = field.safeParse(undefined);
  const hasDefault = absent.success && absent.data !== undefined;
  return {
    ...parsed,
    ...(sent.description !== undefined && { description: sent.description }),
    ...(hasDefault && { default: absent.data }),
  };
}
