import { parseConfig } from "@slipway/server/config";
import { expect, test } from "vitest";
import type { Deps } from "../../deps.ts";
import { createAsyncApiDocument } from "../asyncApi/createAsyncApiDocument.ts";
import { createRoutes } from "../routes.ts";
import { createOpenApiDocument } from "./createOpenApiDocument.ts";
import { describeProperties, descriptionKeys } from "./describeProperties.ts";

const config = parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" });
const routes = createRoutes({ config, db: {}, chain: {}, metrics: { health: {} } } as unknown as Deps);
const documents = {
  openapi: createOpenApiDocument(routes, config),
  "openapi-admin": createOpenApiDocument(routes, config, "operator"),
  asyncapi: createAsyncApiDocument(config),
};

type Property = { path: string; name: string; description: string | undefined };

const dataKeywords = new Set(["example", "examples", "enum", "const", "default", "value"]);

/** Every property of every schema of a document. */
function* listProperties(part: unknown, path: string): Generator<Property> {
  if (typeof part !== "object" || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (dataKeywords.has(key)) continue;
    if (key === "properties") {
      for (const [name, property] of Object.entries(value as Record<string, { description?: string }>)) {
        yield { path: `${path}.${name}`, name, description: property.description };
        yield* listProperties(property, `${path}.${name}`);
      }
    } else yield* listProperties(value, `${path}/${key}`);
  }
}

/** The word that the description of a property must have, by the end of the property's name. */
const units: [ending: RegExp, unit: RegExp][] = [
  [/_bps(_effective)?$/, /basis point/],
  [/_seconds$/, /second/],
  [/_days?$/, /day/],
  [/_pct$/, /percent/],
  [/(^|_)bytes$/, /byte/],
  [/_wei$/, /wei/],
  [/_usd(_24h|_total)?$/, /USD/],
  [/_eth$/, /native|ETH|wei/],
  [/_at$/, /UTC|Unix seconds|[Tt]ime/],
];

test.each(Object.entries(documents))("every property of %s has a description, with its unit", (_name, document) => {
  const properties = [...listProperties(document, "")];
  expect(properties.length).toBeGreaterThan(150);
  const remedy = "add .describe() to its schema, or an entry to apps/server/openApi/descriptions.json";
  const missing = properties.filter(({ description }) => !/^[A-Z`0-9].*[.]$/s.test(description ?? ""));
  expect(
    missing.map(({ path, description }) => `${path}: ${description}`),
    remedy,
  ).toEqual([]);
  for (const { path, name, description } of properties) {
    for (const [ending, unit] of units) if (ending.test(name)) expect(description, path).toMatch(unit);
  }
});

test("every stored description is used", () => {
  const used = new Set<string>();
  for (const document of Object.values(documents)) {
    const undescribed = JSON.parse(JSON.stringify(document));
    for (const [name, schema] of Object.entries(undescribed.components.schemas)) {
      removeDescriptions(schema);
      describeProperties(schema, name, used);
    }
    for (const item of Object.values<any>(undescribed.paths ?? {})) {
      for (const operation of Object.values<any>(item)) {
        removeDescriptions(operation);
        describeProperties(operation, operation.operationId, used);
      }
    }
    for (const [name, message] of Object.entries<any>(undescribed.components.messages ?? {})) {
      removeDescriptions(message);
      describeProperties(message, name.startsWith("risk_") ? "RiskMessage" : "LiveMessage", used);
    }
  }
  expect(descriptionKeys.filter((key) => !used.has(key))).toEqual([]);
});

function removeDescriptions(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === "description" && typeof value === "string") delete (part as { description?: string }).description;
    else removeDescriptions(value);
  }
}
