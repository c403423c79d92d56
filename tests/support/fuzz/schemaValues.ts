import fc from "fast-check";

/** The part of JSON Schema that the requests of an OpenAPI document use. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  pickOne?: Schema[];
  allOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

export type Known = Record<string, readonly string[]>;
export type Values = (schema: Schema, name?: string) => fc.Arbitrary<unknown>;

/**
 * Generates values that a schema allows. Fields with a known name mostly get an existing value: otherwise no generated
 * address would be a token's, and no request would get past the validation.
 */
export function createValues(components: Record<string, object>, known: Known): Values {
  const values: Values = (schema, name) => {
    const real = name === undefined ? undefined : known[name];
    const made = generate(resolve(schema), name);
    if (!real || real.length === 0) return made;
    return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...real) }, { weight: 1, arbitrary: made });
  };

  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    return resolve(components[schema.$ref.split("/").at(-1)!] as Schema);
  };

  const generate = (schema: Schema, name?: string): fc.Arbitrary<unknown> => {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.pickOne;
    if (choices) return fc.oneof(...choices.map((choice) => values(choice, name)));
    const type = Array.isArray(schema.type) ? schema.type : [schema.type];
    return type.length === 1 ? ofType(schema, type[0]) : fc.oneof(...type.map((one) => ofType(schema, one)));
  };

  const ofType = (schema: Schema, type: string | undefined): fc.Arbitrary<unknown> => {
    switch (type) {
      case "object":
        return fc.record(
          Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, one]) => [key, values(one, key)])),
          { requiredKeys: (schema.required ?? []) as never[] },
        );
      case "array":
        return fc.array(values(schema.items ?? {}), {
          minLength: schema.minItems ?? 0,
          maxLength: schema.maxItems ?? 5,
        });
      case "integer":
        return fc.integer({ min: clamp(schema.minimum, -(2 ** 31)), max: clamp(schema.maximum, 2 ** 31 - 1) });
      case "number":
        return fc.double({ min: schema.minimum ?? -1e21, max: schema.maximum ?? 1e21, noNaN: true });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "string":
        return text(schema);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  };
  return values;
}

const clamp = (value: number | undefined, otherwise: number) => Math.trunc(value ?? otherwise);

function text({ pattern, allOf, format, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (format === "uri") return fc.webUrl();
  if (format === "email") return fc.emailAddress();
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const patterns = [pattern, ...(allOf ?? []).map((part) => part.pattern)].filter((one) => one !== undefined);
  // A pattern with a length only excludes characters; a pattern without one defines the whole form.
  if (patterns.length === 1 && maxLength === undefined) return fc.stringMatching(new RegExp(patterns[0]!));
  const plain = fc.string({ unit: "grapheme", minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 60, 400) });
  const bans = patterns.filter((one) => one.includes("[^")).map((one) => new RegExp(one, "u"));
  return plain.filter((value) => bans.every((ban) => ban.test(value)));
}
