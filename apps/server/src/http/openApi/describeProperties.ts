import { readFileSync } from "node:fs";

/**
 * Descriptions of properties whose schema has none. They are apart from the schemas, so that clients that bundle the
 * schemas do not download them. A key is the end of a property's path: `Component.property.inner`, without the levels of
 * lists, unions and maps. The longest matching key describes a property.
 */
const descriptions = JSON.parse(
  readFileSync(new URL("../../../openApi/descriptions.json", import.meta.url), "utf8"),
) as Readonly<Record<string, string>>;

type Schema = { [keyword: string]: unknown };

/** Keywords whose values are data, such as examples, and not schemas. */
const dataKeywords: ReadonlySet<string> = new Set([
  "example",
  "examples",
  "default",
  "const",
  "enum",
  "value",
  "required",
]);

/**
 * Adds a description to each property of a schema, or of all schemas of an operation, that has none.
 *
 * @param name - The first part of the path: the name of the component, or the id of the operation.
 * @param used - Gets the keys of the used descriptions.
 */
export function describeProperties(schema: unknown, name: string, used = new Set<string>()): void {
  visit(schema, [name], used);
}

function visit(part: unknown, path: readonly string[], used: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  for (const [keyword, value] of Object.entries(part)) {
    if (keyword === "properties") describeEach(value as Record<string, Schema>, path, used);
    else if (!dataKeywords.has(keyword)) visit(value, path, used);
  }
}

function describeEach(properties: Record<string, Schema>, path: readonly string[], used: Set<string>): void {
  for (const [name, property] of Object.entries(properties)) {
    const inner = [...path, name];
    if (property.description === undefined) addDescription(property, inner, used);
    visit(property, inner, used);
  }
}

function addDescription(property: Schema, path: readonly string[], used: Set<string>): void {
  const keys = path.map((_, start) => path.slice(start).join("."));
  const key = keys.find((candidate) => Object.hasOwn(descriptions, candidate));
  if (key === undefined) return;
  property.description = descriptions[key];
  used.add(key);
}

/** The keys of all descriptions. */
export const descriptionKeys: readonly string[] = Object.keys(descriptions);
