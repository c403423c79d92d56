import { type ErrorBody, errorBody } from "@slipway/protocol/errorBody";
import { type ErrorCode, errorRow, errorTable } from "@slipway/protocol/errors";
import { createDocument, type oas31, type ZodOpenApiPathsObject } from "zod-openapi";
import type { Config } from "../../config.ts";
import { getSessionCookieName } from "../../providers/identity/signInSettings.ts";
import { apiPrefix, type Route } from "../../route.ts";
import { getRequiredScope } from "../guard.ts";
import { getRouteErrors } from "../registerRoute.ts";
import { describeOperation } from "./describeOperation.ts";
import { describeProperties } from "./describeProperties.ts";
import { createDescribeError, describeStreams, type OpenApiDocument, responseHeaders } from "./describeResponses.ts";
import { moveMessageToRequest, webhookMessages } from "./describeWebhookMessage.ts";
import { openAnswers } from "./openAnswers.ts";
import { tidySchemas } from "./tidySchemas.ts";

const errorList = Object.entries(errorTable)
  .map(([code, row]) => `- **${row.status}** \`${code}\`${row.retryable ? " (retryable)" : ""}: ${row.help}`)
  .join("\n");

const description = `A noncustodial token launchpad: it prepares unsigned transactions and never holds a user's key.

Bodies are JSON. Amounts are decimal strings in base units; prices are numbers or null when unknown.
Send an API key as \`Authorization: Bearer\`, or use the session of a page of this site. If a request has both, the key
is used. Credentials in URLs are refused.

Each error has a status, a code and a message that says what to do:

${errorList}`;

const operatorDescription = `The operations that need a key with the scope \`admin\`. All rules of \`openapi.json\` apply.`;

/** The descriptions of the tags, in the order of the reference page. */
const tags: Record<string, string> = {
  Tokens: "Launched tokens with their trades, candles and totals, over REST and as a live stream. Public.",
  Launch: "From a draft to a launched token: store the draft, deploy its fee splitter, launch.",
  Trade: "Quotes and swaps of launched tokens against the wrapped native asset.",
  Fees: "The earnings of a launch, and the transactions that pay them out.",
  Gas: "Native token for network fees, paid with a stablecoin, for wallets without native token.",
  Businesses: "Business listings of accounts and of external sources. A listing does not make a token tradable.",
  Wallet: "Helpers for the page of a wallet.",
  Feeds: "Documents in the formats of wallets, exchanges and indexers.",
  "Market data":
    "Markets and their bars; forecasts with intervals, for credits; risk, for subscribers; signals with their track records; alerts.",
  Webhooks: "Messages to an endpoint of the account, signed by Standard Webhooks.",
  "Sign in": "Sign-in with a wallet's signed message, the session of the browser, and links to other providers.",
  Account: "The caller's account: wallets, connections, API keys, sessions, credits, events, export and deletion.",
  Administration:
    "For the operator: plans and credits of all accounts, and moderation of listings, tokens, images and openings.",
  Operation: "The deployment and its health.",
};

/** The readers of a document: everyone, or the operator of the service. */
export type Audience = "public" | "operator";

/**
 * Describes the routes of an audience as an OpenAPI document: those that need the scope `admin` for the operator, all
 * others for everyone. Equal routes and settings give an equal document, in the same order.
 */
export function createOpenApiDocument(
  allRoutes: readonly Route[],
  config: Config,
  audience: Audience = "public",
): OpenApiDocument {
  const isPublic = audience === "public";
  const routes = allRoutes.filter((route) => (getRequiredScope(route) === "admin") !== isPublic);
  const paths: ZodOpenApiPathsObject = {};
  const describeError = createDescribeError();
  for (const route of routes) {
    const path = (route.site ? route.path : `${apiPrefix}${route.path}`).replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, describeError) };
  }
  const created = createDocument({
    openapi: "3.1.0",
    info: describeService(config, audience),
    servers: [{ url: config.SITE_URL === undefined ? "/" : new URL(config.SITE_URL).origin, description: "This site" }],
    tags: Object.entries(tags)
      .filter(([name]) => routes.some((route) => route.tag === name))
      .map(([name, purpose]) => ({ name, description: purpose })),
    paths,
    ...(isPublic && { webhooks: webhookMessages }),
    components: {
      headers: responseHeaders,
      examples: createErrorExamples(routes),
      securitySchemes: describeCredentials(config),
    },
  });
  describeStreams(created);
  openAnswers(created);
  if (isPublic) moveMessageToRequest(created);
  const document = tidySchemas(created);
  removeUnused(document);
  const { schemas = {}, responses = {} } = document.components ?? {};
  Object.assign(document.components!, { schemas: sortByName(schemas), responses: sortByName(responses) });
  for (const [name, schema] of Object.entries(document.components!.schemas!)) describeProperties(schema, name);
  for (const operation of listOperations(document)) describeProperties(operation, operation.operationId!);
  return document;
}

const listOperations = ({ paths = {} }: OpenApiDocument): oas31.OperationObject[] =>
  Object.values(paths).flatMap((item) => Object.values(item as Record<string, oas31.OperationObject>));

/** Removes headers and credentials that no operation of the document uses. */
function removeUnused(document: OpenApiDocument): void {
  const { headers = {}, securitySchemes = {} } = document.components ?? {};
  const text = JSON.stringify(document);
  const used = new Set(listOperations(document).flatMap(({ security = [] }) => security.flatMap(Object.keys)));
  for (const name of Object.keys(headers)) if (!text.includes(`"#/components/headers/${name}"`)) delete headers[name];
  for (const name of Object.keys(securitySchemes)) if (!used.has(name)) delete securitySchemes[name];
}

function describeService({ SITE_URL, CONTACT_URL }: Config, audience: Audience): oas31.InfoObject {
  const license = { name: "MIT", identifier: "MIT" };
  const info =
    audience === "public"
      ? { title: "Slipway", version: "0.1.0", description, license }
      : { title: "Slipway for operators", version: "0.1.0", description: operatorDescription, license };
  const terms = SITE_URL === undefined ? {} : { termsOfService: new URL("/guides/terms", SITE_URL).href };
  if (CONTACT_URL === undefined) return { ...info, ...terms };
  const isMail = CONTACT_URL.startsWith("mailto:");
  const contact = isMail ? { email: new URL(CONTACT_URL).pathname } : { url: CONTACT_URL };
  return { ...info, ...terms, contact };
}

const sortByName = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

function describeCredentials(config: Config): Record<string, oas31.SecuritySchemeObject> {
  return {
    bearer: {
      type: "http",
      scheme: "bearer",
      description: "An API key with the scope of the operation: `read`, `write`, `transactions` or `account`.",
    },
    session: {
      type: "apiKey",
      in: "cookie",
      name: getSessionCookieName(config),
      description:
        "The session of a browser that signed in with a wallet. It has every scope except `admin`. Requests other than " +
        "GET must also have the Origin of this site.",
    },
    admin: { type: "http", scheme: "bearer", description: "An API key of the operator, with the scope `admin`." },
  };
}

/** Examples of an error's field and details, by its code. */
const errorDetails: Partial<Record<ErrorCode, Pick<ErrorBody["error"], "field" | "details">>> = {
  invalid_query: { field: "limit" },
  invalid_address: { field: "address" },
  invalid_fields: { field: "name" },
  idempotency_key_missing: { field: "Idempotency-Key" },
  scope_required: { details: { scope: "transactions" } },
  rate_limited: { details: { policy: "write", retry_after_seconds: 3 } },
};

/** One example for each error code of the operations. */
function createErrorExamples(routes: readonly Route[]): oas31.ExamplesObject {
  const codes = new Set(routes.flatMap((route) => getRouteErrors(route)));
  const create = (code: ErrorCode): oas31.ExampleObject => {
    const { help, retryable } = errorRow(code);
    const value: ErrorBody = {
      error: {
        code,
        message: help,
        request_id: "01a20215-067b-79ae-b04e-d0d576004757",
        retryable,
        ...errorDetails[code],
      },
    };
    return { summary: help, value: errorBody.parse(value) };
  };
  return sortByName(Object.fromEntries([...codes].map((code) => [code, create(code)])));
}
