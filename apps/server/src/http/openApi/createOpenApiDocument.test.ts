import { readFileSync } from "node:fs";
import { errorBody } from "@slipway/protocol/errorBody";
import type { ErrorCode } from "@slipway/protocol/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { createCheckAnswer } from "../../../../../tests/support/conformance/checkAnswer.ts";
import {
  type Document,
  joinDocuments,
  type OpenApi,
  readOpenApi,
} from "../../../../../tests/support/conformance/openApi.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import type { Route } from "../../route.ts";
import { getRouteErrors } from "../registerRoute.ts";
import { createRoutes } from "../routes.ts";
import { getErrorStatus } from "../sendError.ts";
import { createOpenApiDocument } from "./createOpenApiDocument.ts";

let database: ReadDatabase;
let read: ReadApp;
let routes: Route[];
let api: OpenApi;
let text: string;
let operatorText: string;

beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db);
  routes = createRoutes(read.deps);
  text = (await read.get("/openapi.json")).body.toString();
  operatorText = (await read.get("/openapi-admin.json")).body.toString();
  api = readOpenApi(joinDocuments([JSON.parse(text), JSON.parse(operatorText)]));
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

const operation = (id: string) => [...api.operations.values()].find(({ operationId }) => operationId === id)!;
const parameter = (id: string, name: string) =>
  operation(id).about.parameters!.find((candidate) => candidate.name === name)!;

describe("a parameter", () => {
  it.each([
    ["listTokens", "limit", { type: "integer", minimum: 1, maximum: 300, default: 50 }],
    ["listTokenTrades", "limit", { type: "integer", minimum: 1, maximum: 300, default: 50 }],
    ["listTokenCandles", "limit", { type: "integer", minimum: 1, maximum: 300, default: 300 }],
    ["listTokenCandles", "before", { type: "integer", minimum: 0, maximum: 999_999_999_999 }],
    ["listCredits", "limit", { type: "integer", minimum: 1, maximum: 100, default: 50 }],
    ["listCredits", "before", { type: "integer", minimum: 1 }],
    ["listAccounts", "limit", { type: "integer", minimum: 1, maximum: 100, default: 50 }],
  ])("%s %s is an integer with its limits and default", (id, name, schema) => {
    expect(parameter(id, name).schema).toEqual(schema);
  });

  it("is required if and only if a request without it is refused, and has a description", () => {
    const requiredInFeeds = ["id", "fromBlock", "toBlock", "symbol", "resolution", "from", "to"];
    for (const { name, about } of api.operations.values()) {
      for (const { name: field, description, required, in: place } of about.parameters ?? []) {
        expect(description, `${name} ${field}`).toMatch(/^[A-Z`].*[.]$/);
        expect(required, `${name} ${field}`).toBe(
          place === "path" ||
            (field === "Idempotency-Key" && !name.startsWith("POST /api/forecast/")) ||
            ["If-Match", "text"].includes(field) ||
            field === "from_block" ||
            (name.startsWith("GET /feeds/") && requiredInFeeds.includes(field)) ||
            ["GET /recipients", "POST /api/webhooks/{id}/replay"].includes(name) ||
            name.startsWith("GET /fees/"),
        );
      }
    }
  });

  it("of a stream is the id after which the stream continues", () => {
    expect(parameter("streamLive", "Last-Event-ID")).toMatchObject({ in: "header", required: false });
  });
});

describe("the schemas", () => {
  it("have no limits that only JavaScript sets", () => {
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it("are each used, and none is a duplicate under another name", () => {
    for (const document of [text, operatorText]) {
      for (const name of Object.keys((JSON.parse(document) as Document).components.schemas)) {
        expect(document.split(`"$ref":"#/components/schemas/${name}"`).length, name).toBeGreaterThan(1);
        // This name comes from the specification.
        if (name !== "BusinessInput") expect(name).not.toMatch(/(Input|Output)$/);
      }
    }
    const { schemas } = api.document.components;
    const bodies = Object.values(schemas).map((schema) => JSON.stringify({ ...schema, description: null }));
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  it("have the spec's Recipient under that name", () => {
    const { Recipient, Intent } = api.document.components.schemas as Record<string, any>;
    expect(Intent.properties.recipients.items).toEqual({ $ref: "#/components/schemas/Recipient" });
    expect(Object.keys(Recipient.properties)).toEqual(["provider", "handle", "wallet", "share_bps"]);
    expect(Recipient.required).toEqual(["provider", "wallet", "share_bps"]);
    expect(Recipient.additionalProperties).toBe(false);
  });

  it("are open in answers, so that a later release can add a property, and closed in requests", () => {
    const { schemas } = api.document.components as { schemas: Record<string, any> };
    const requests = listReferences([...api.operations.values()].map(({ about }) => about.requestBody));
    for (const name of requests) for (const inner of listReferences(schemas[name])) requests.add(inner);
    for (const [name, schema] of Object.entries(schemas)) {
      const text = JSON.stringify(schema);
      if (requests.has(name) && "properties" in schema) expect(schema.additionalProperties, name).toBe(false);
      if (!requests.has(name)) expect(text, name).not.toContain('"additionalProperties":false');
    }
    for (const name of ["IndexedToken", "UnsignedResult", "Quote", "LaunchMessage"])
      expect(requests).not.toContain(name);
    for (const name of ["Intent", "Recipient", "TradeRequest"]) expect(requests).toContain(name);
  });

  it("have no tuples, which validators and generators read differently", () => {
    const { RiskSnapshot } = api.document.components.schemas as Record<string, any>;
    expect(RiskSnapshot.properties.band_24h.properties["80"]).toMatchObject({
      type: ["array", "null"],
      items: { type: "number" },
      minItems: 2,
      maxItems: 2,
    });
    expect(text).not.toContain("prefixItems");
  });

  it("describe the messages of the stream as a union by their event", () => {
    const { StreamMessage } = api.document.components.schemas as Record<string, any>;
    const names = ["ready", "launch", "trade", "candle", "signal", "opening", "retracted", "snapshot"];
    expect(Object.keys(StreamMessage.discriminator.mapping)).toEqual(names);
    expect(StreamMessage.oneOf.map(({ $ref }: { $ref: string }) => $ref)).toEqual(
      Object.values(StreamMessage.discriminator.mapping),
    );
  });
});

/** The names of the schemas to which a part refers. */
function listReferences(part: unknown): Set<string> {
  const references = JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return new Set([...references].map(([, name]) => name!));
}

describe("an operation", () => {
  it("keeps its id", () => {
    const ids = [...api.operations.values()].map(({ operationId }) => operationId).sort();
    expect(ids).toEqual([
      "authorizeOpening",
      "changeWebhook",
      "confirmAlertAddress",
      "createAlert",
      "createApiKey",
      "createBusiness",
      "createIntent",
      "createPayment",
      "createReport",
      "createSignInNonce",
      "createWebhook",
      "deleteAccount",
      "deleteAlert",
      "deleteIntent",
      "deleteWebhook",
      "denyImages",
      "endSession",
      "endSessions",
      "exportAccount",
      "findRecipient",
      "finishLink",
      "forecastLine",
      "forecastLines",
      "getAccount",
      "getAnalytics",
      "getBusiness",
      "getClearSigning",
      "getConfig",
      "getContractDocument",
      "getDexScreenerAsset",
      "getDexScreenerBlock",
      "getDexScreenerEvents",
      "getDexScreenerPair",
      "getDirectory",
      "getFeePending",
      "getFeePositions",
      "getForecastInfo",
      "getGallery",
      "getGeckoTerminalAsset",
      "getGeckoTerminalBlock",
      "getGeckoTerminalEvents",
      "getGeckoTerminalPair",
      "getImage",
      "getImageSize",
      "getIntent",
      "getIntentProgress",
      "getLatestSignals",
      "getLiveness",
      "getMetrics",
      "getOpening",
      "getPayment",
      "getPool",
      "getReadiness",
      "getReceiveCode",
      "getRisk",
      "getSession",
      "getSignalRecords",
      "getToken",
      "getTokenCard",
      "getTokenDepth",
      "getTokenFacts",
      "getTokenList",
      "getTokenVesting",
      "getTopUp",
      "getUdfConfig",
      "getUdfHistory",
      "getUdfSymbol",
      "getUdfTime",
      "getWallet",
      "grantCredits",
      "linkWallet",
      "listAccountEvents",
      "listAccounts",
      "listAlerts",
      "listApiKeys",
      "listBusinesses",
      "listClearSigning",
      "listConnections",
      "listCredits",
      "listDailyAnalytics",
      "listDeniedImages",
      "listEvents",
      "listFeePending",
      "listFeeReleases",
      "listIntents",
      "listLiquidityChanges",
      "listMarketBars",
      "listMarkets",
      "listOpeningDeposits",
      "listOpenings",
      "listOwnBusinesses",
      "listRisk",
      "listSessions",
      "listSignals",
      "listTokenCandles",
      "listTokenHolders",
      "listTokenTraders",
      "listTokenTrades",
      "listTokens",
      "listWebhookDeliveries",
      "listWebhooks",
      "moderateImage",
      "moderateListing",
      "moderateOpening",
      "moderateToken",
      "openUnsubscribePage",
      "prepareClaimCalls",
      "prepareFeeClaim",
      "prepareLaunch",
      "prepareLaunchCalls",
      "prepareLaunchCancellation",
      "prepareOpening",
      "prepareOpeningClaim",
      "prepareOpeningClosing",
      "prepareOpeningDeposit",
      "prepareOpeningLaunch",
      "preparePayout",
      "prepareSplitter",
      "prepareTrade",
      "prepareTradeCalls",
      "prepareVesting",
      "prepareVestingRelease",
      "previewLaunch",
      "proveWebsite",
      "putIntentOptions",
      "quoteGas",
      "quoteTrade",
      "removeDenial",
      "renameAccount",
      "replaceBusiness",
      "replayWebhook",
      "revokeApiKey",
      "rotateWebhookSecret",
      "searchUdfSymbols",
      "signIn",
      "signOut",
      "startLink",
      "startPlan",
      "streamLive",
      "testWebhook",
      "topUpGas",
      "unlinkConnection",
      "unlinkWallet",
      "unsubscribeAlertAddress",
      "uploadImage",
      "withdrawBusiness",
    ]);
  });

  it("is for everyone, or in the document of the operator if it needs the scope admin", () => {
    const list = (document: string) => Object.entries((JSON.parse(document) as Document).paths);
    const operators = list(operatorText).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(operators).toHaveLength(routes.filter(({ scope }) => scope === "admin").length);
    for (const one of operators) expect(one).toContain(" /api/admin/");
    expect(list(text).filter(([path]) => path.startsWith("/api/admin/"))).toEqual([]);
    expect(text).not.toContain("Administration");
  });

  it("has a summary, a description and a tag that is described", () => {
    const tags = [text, operatorText].flatMap((one) => (JSON.parse(one) as Document).tags);
    const described = tags.filter(({ description }) => description.length > 0).map(({ name }) => name);
    for (const { name, about } of api.operations.values()) {
      expect(about.summary, name).toMatch(/^[A-Z].*[^.]$/);
      expect(about.description.length, name).toBeGreaterThan(20);
      expect(described, name).toEqual(expect.arrayContaining(about.tags));
    }
    const used = new Set([...api.operations.values()].flatMap(({ about }) => about.tags));
    expect([...used].sort()).toEqual([...described].sort());
  });

  it.each([
    ["listTokens", [], undefined],
    ["signIn", [], undefined],
    ["quoteTrade", [{ bearer: [] }, { session: [] }], "read"],
    ["createIntent", [{ bearer: [] }, { session: [] }], "write"],
    ["prepareLaunch", [{ bearer: [] }, { session: [] }], "transactions"],
    ["getAccount", [{ bearer: [] }, { session: [] }], "account"],
    ["createApiKey", [{ session: [] }], undefined],
    ["signOut", [{ session: [] }], undefined],
    ["startPlan", [{ admin: [] }], "admin"],
  ])("%s names exactly the credentials that it accepts, and the scope of a key", (id, security, scope) => {
    const { about } = operation(id);
    expect([about.security, about["x-required-scope"]]).toEqual([security, scope]);
  });

  it("declares the headers of its answers", () => {
    const headers = (id: string, status: number) => Object.keys(operation(id).about.responses[status]!.headers ?? {});
    expect(headers("listTokens", 200)).toEqual(expect.arrayContaining(["ETag", "RateLimit-Policy", "RateLimit"]));
    expect(headers("listTokens", 304)).toContain("ETag");
    expect(headers("listTokens", 429)).toEqual(
      expect.arrayContaining(["Retry-After", "RateLimit-Policy", "RateLimit"]),
    );
    expect(headers("listTokens", 503)).toContain("Retry-After");
    expect(headers("getAccount", 401)).toContain("WWW-Authenticate");
    expect(headers("finishLink", 302)).toEqual(expect.arrayContaining(["Location", "Set-Cookie"]));
    expect(headers("getLiveness", 200)).toEqual(["X-Request-Id", "Cache-Control"]);
  });
});

describe("an example", () => {
  type Examples = Record<string, { value: unknown } | { $ref: string }> | undefined;
  const values = (examples: Examples) =>
    Object.values(examples ?? {}).map((one) =>
      "value" in one ? one.value : api.document.components.examples[one.$ref.split("/").at(-1)!]!.value,
    );
  const isValid = (schema: z.ZodType, value: unknown, what: string) => {
    const remedy = `${what}: update apps/server/openApi/examples.json (npm run openapi:examples)`;
    expect(schema.safeParse(value).error?.message, remedy).toBeUndefined();
  };

  it("exists for every body and every JSON answer, and matches its schema", () => {
    const checkAnswer = createCheckAnswer(api);
    for (const route of routes) {
      const { about, ...declared } = operation(route.name);
      if (route.schemas.body) {
        const bodies = values(about.requestBody?.content["application/json"]?.examples);
        expect(bodies.length, route.name).toBeGreaterThan(0);
        for (const body of bodies) isValid(route.schemas.body, body, route.name);
      }
      for (const [status, { schema }] of Object.entries(route.answers)) {
        if (!schema) continue;
        const { content, headers = {} } = about.responses[status]!;
        const answers = values(content?.["application/json"]?.examples);
        expect(answers.length, `${route.name} ${status}`).toBeGreaterThan(0);
        const sent = new Headers(Object.keys(headers).map((name): [string, string] => [name, "x"]));
        for (const answer of answers) {
          isValid(schema, answer, `${route.name} ${status}`);
          expect(checkAnswer({ about, ...declared }, Number(status), answer, sent)).toBeNull();
        }
      }
    }
  });

  it("of an error matches the schema of its code alone, with typed details", () => {
    const { ScopeRequiredError, RateLimitedError } = api.document.components.schemas as Record<string, any>;
    expect(ScopeRequiredError.properties.error.properties).toMatchObject({
      code: { const: "scope_required" },
      retryable: { const: false },
      details: { properties: { scope: { type: "string" } } },
    });
    expect(RateLimitedError.properties.error.properties.details.properties).toMatchObject({
      retry_after_seconds: { type: "integer" },
    });
    const checkAnswer = createCheckAnswer(api);
    const check = (id: string, error: object) => {
      const headers = Object.keys(operation(id).about.responses[403]!.headers ?? {}).map((name): [string, string] => [
        name,
        "x",
      ]);
      const body = { error: { code: "plan_required", message: "x", request_id: "x", retryable: false, ...error } };
      return checkAnswer(operation(id), 403, body, new Headers(headers));
    };
    expect(check("getRisk", {})).toBeNull();
    expect(check("getAccount", {})).toContain("does not declare the code plan_required");
    expect(check("getRisk", { retryable: true })).toContain("error/retryable must be equal to constant");
    expect(check("getAccount", { code: "scope_required", details: { scope: 1 } })).toContain(
      "details/scope must be string",
    );
    expect(check("getAccount", { code: "scope_required", details: { other: 1 } })).toContain("additional properties");
  });

  it("exists for exactly the codes that a status can have, as an error", () => {
    for (const route of routes) {
      const codes = Map.groupBy(getRouteErrors(route), (code) => getErrorStatus(route, code));
      for (const [status, wanted] of codes) {
        const { content } = operation(route.name).about.responses[status]!;
        const errors = values(content?.["application/json"]?.examples).map((value) => errorBody.parse(value).error);
        const found: ErrorCode[] = errors.map(({ code }) => code);
        expect(found, `${route.name} ${status}`).toEqual(wanted);
      }
    }
  });
});

describe("the document", () => {
  it("has the same bytes from every process with the same settings", async () => {
    const again = await createReadApp(database.db);
    const { body, headers } = await again.get("/openapi.json");
    await again.app.close();
    expect(body.toString()).toBe(text);
    expect(headers.etag).toBe((await read.get("/openapi.json")).headers.etag);
    expect(JSON.stringify(createOpenApiDocument(routes, read.deps.config))).toBe(text);
  });

  it("has a strong ETag and responds 304 to it", async () => {
    const { headers } = await read.get("/openapi.json");
    expect(headers.etag).toMatch(/^"[^"]+"$/);
    expect(headers["cache-control"]).toBe("public, max-age=60");
    const unchanged = await read.get("/openapi.json", { "if-none-match": headers.etag });
    expect([unchanged.status, unchanged.body.length, unchanged.headers.etag]).toEqual([304, 0, headers.etag]);
  });

  it("names the configured site, otherwise the origin that serves it", async () => {
    expect(JSON.parse(text).servers).toEqual([{ url: "/", description: "This site" }]);
    const config = { ...read.deps.config, SITE_URL: "https://site.example/" };
    expect(createOpenApiDocument(routes, config).servers?.[0]?.url).toBe("https://site.example");
    expect(createOpenApiDocument(routes, config).components?.securitySchemes?.session).toMatchObject({
      name: "__Host-slipway.session_token",
    });
  });

  it("names the operator's contact and the terms where they are configured", () => {
    expect(JSON.parse(text).info).not.toHaveProperty("contact");
    const config = { ...read.deps.config, SITE_URL: "https://site.example/" };
    const getInfo = (CONTACT_URL: string) => createOpenApiDocument(routes, { ...config, CONTACT_URL }).info;
    expect(getInfo("mailto:help@site.example")).toMatchObject({
      contact: { email: "help@site.example" },
      termsOfService: "https://site.example/guides/terms",
    });
    expect(getInfo("https://site.example/help").contact).toEqual({ url: "https://site.example/help" });
  });

  it("has a reference page with our title", async () => {
    const { statusCode, body } = await read.app.inject({ url: "/docs/" });
    expect([statusCode, /<title>(.*)<\/title>/.exec(body)?.[1]]).toEqual([200, "Slipway API"]);
  });

  it("has the version of the package", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
    expect(JSON.parse(text).info.version).toBe(version);
  });
});
