/** Keywords whose values are data, such as examples, and not schemas. */
const valueKeys: ReadonlySet<string> = new Set(["example", "examples", "default", "const", "enum", "value"]);

/**
 * Returns a document without redundant parts of its schemas and without forms that client generators handle badly: the
 * limits of JavaScript's safe integers, patterns beside an equivalent format, `number` for integer literals, further
 * patterns of a text without its type, tuples of one type, and `anyOf` with null where the type can be a list.
 */
export function tidySchemas<T>(document: T): T {
  return visit(document, false) as T;
}

/** Visits a part of the document. `isNamed`: the keys are names of properties, not keywords. */
function visit(part: unknown, isNamed: boolean): unknown {
  if (Array.isArray(part)) return part.map((item) => visit(item, false));
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    !isNamed && valueKeys.has(key) ? value : visit(value, !isNamed && key === "properties"),
  ]);
  const visited = Object.fromEntries(entries);
  return isNamed ? visited : tidySchema(visited);
}

type Schema = Record<string, unknown>;

/** Formats that are equivalent to zod's pattern. */
const formats: ReadonlySet<unknown> = new Set(["date-time", "uuid"]);

function tidySchema(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (formats.has(rest.format)) delete rest.pattern;
  const literals = Array.isArray(rest.enum) ? rest.enum : [rest.const];
  if (rest.type === "number" && literals.every(Number.isInteger)) rest.type = "integer";
  if (rest.type === "string" && Array.isArray(rest.allOf)) {
    rest.allOf = rest.allOf.map((part: Schema) => ({ type: "string", ...part }));
  }
  tidyTuple(rest);
  if (!Array.isArray(anyOf)) return rest;
  const [first, second, ...more] = anyOf as Schema[];
  const isNullable = more.length === 0 && second?.type === "null" && typeof first?.type === "string";
  // A constant is not merged with null, because `const` would exclude null.
  if (!isNullable || "const" in first) return { anyOf, ...rest };
  const withNull = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
  return { ...first, ...withNull, type: [first.type, "null"], ...rest };
}

/** Describes a tuple whose members have one schema as a list of that length. */
function tidyTuple(schema: Schema): void {
  const { prefixItems, items } = schema;
  if (!Array.isArray(prefixItems) || items !== false) return;
  const [first, ...others] = prefixItems.map((member) => JSON.stringify(member));
  if (first === undefined || others.some((other) => other !== first)) return;
  schema.items = prefixItems[0];
  delete schema.prefixItems;
}
