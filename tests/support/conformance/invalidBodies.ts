/** A JSON Schema of the OpenAPI document, limited to the features that request bodies use. */
type Schema = {
  /** Set here: null is allowed besides the type. */
  nullable?: boolean;
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  allOf?: Schema[];
  format?: string;
};

/** A body with one fault, the faulty field, and a description of the fault. */
export type InvalidBody = { body: unknown; field: string; what: string };

/**
 * Creates bodies that a schema rejects, each for one reason: every field at every depth is omitted, null, of another
 * type, out of bounds, or of the wrong form, and every object gets an unknown field.
 *
 * @param valid - A body that the schema allows; missing optional fields are filled in if their form is known.
 */
export function createInvalidBodies(schema: object, components: Record<string, object>, valid: unknown): InvalidBody[] {
  const resolve = (one: Schema): Schema =>
    withoutNull(one.$ref === undefined ? one : resolve(components[one.$ref.split("/").at(-1)!] as Schema));
  const found: InvalidBody[] = [];

  const visit = (given: Schema, value: unknown, field: string, put: (value: unknown) => unknown): void => {
    const one = resolve(given);
    const add = (wrong: unknown, what: string) => found.push({ body: put(wrong), field, what: `${field}: ${what}` });
    for (const wrong of getWrongTypes(one)) add(wrong, `of another type, ${JSON.stringify(wrong)}`);
    for (const [wrong, what] of getWrongValues(one, value)) add(wrong, what);
    if (one.type === "array") {
      const entries = value as unknown[];
      if (one.items && entries.length > 0) {
        visit(one.items, entries[0], `${field}[0]`, (entry) => put([entry, ...entries.slice(1)]));
      }
    }
    if (one.properties) visitObject(one, value as Record<string, unknown>, field, put);
  };

  const visitObject = (
    one: Schema,
    value: Record<string, unknown>,
    field: string,
    put: (value: unknown) => unknown,
  ): void => {
    const inside = (name: string) => (field === "" ? name : `${field}.${name}`);
    for (const name of one.required ?? []) {
      const { [name]: _left, ...others } = value;
      found.push({ body: put(others), field: inside(name), what: `without ${inside(name)}` });
    }
    if (one.additionalProperties === false) {
      found.push({ body: put({ ...value, surprise: 1 }), field: inside("surprise"), what: "an unknown field" });
    }
    for (const [name, property] of Object.entries(one.properties ?? {})) {
      const known = value[name] ?? createExample(resolve(property));
      if (known !== undefined) visit(property, known, inside(name), (wrong) => put({ ...value, [name]: wrong }));
    }
  };

  const createExample = (one: Schema): unknown => {
    if (one.enum) return one.enum[0];
    if (one.type === "array") return one.items ? [createExample(resolve(one.items))] : undefined;
    if (one.type === "integer") return one.minimum ?? 1;
    return one.type === "string" ? "x" : undefined;
  };

  visitObject(resolve(schema as Schema), valid as Record<string, unknown>, "", (body) => body);
  return found;
}

/** Returns the schema without null. */
function withoutNull({ type, anyOf, ...others }: Schema): Schema {
  if (Array.isArray(type) && type.includes("null")) return { ...others, type: type[0]!, nullable: true };
  const [one, ...nulls] = anyOf ?? [];
  if (one !== undefined && nulls.length === 1 && nulls[0]!.type === "null") {
    return { ...others, ...one, nullable: true };
  }
  return { ...others, ...(type === undefined ? {} : { type }), ...(anyOf === undefined ? {} : { anyOf }) };
}

const samples: Record<string, unknown> = {
  string: "text",
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function getWrongTypes({ type, anyOf, enum: values, const: constant, nullable }: Schema): unknown[] {
  const own = type ?? typeof (values?.[0] ?? constant);
  const allowed = anyOf?.map((one) => one.type) ?? [own];
  return Object.entries(samples)
    .filter(
      ([name]) =>
        !allowed.includes(name) && !(nullable && name === "null") && !(own === "integer" && name === "number"),
    )
    .map(([, sample]) => sample);
}

function getWrongValues(one: Schema, value: unknown): [wrong: unknown, what: string][] {
  const wrong: [unknown, string][] = [];
  if (one.enum) return [[typeof one.enum[0] === "number" ? 7 : "nonsense", "none of its values"]];
  if (one.type === "integer" || one.type === "number") {
    if (one.type === "integer") wrong.push([1.5, "a fraction"], [1e300, "far too large"], [-1e300, "far too small"]);
    if (one.minimum !== undefined) wrong.push([one.minimum - 1, "too small"]);
    if (one.maximum !== undefined) wrong.push([one.maximum + 1, "too large"]);
  }
  if ([one.type].flat().includes("string")) {
    wrong.push(["\u0000", "U+0000"]);
    if (one.minLength) wrong.push(["", "empty"]);
    if (one.maxLength !== undefined) wrong.push(["x".repeat(one.maxLength + 1), "too long"]);
    if (one.pattern !== undefined || one.format !== undefined)
      wrong.push(["\u0001 not of this form", "of another form"]);
  }
  if (one.type === "array") {
    if (one.minItems) wrong.push([[], "empty"]);
    if (one.maxItems !== undefined && one.maxItems < 1_000) {
      const [entry] = value as unknown[];
      wrong.push([Array(one.maxItems + 1).fill(entry), "too many entries"]);
    }
  }
  return wrong;
}
