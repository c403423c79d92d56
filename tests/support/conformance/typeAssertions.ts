import type { Route } from "@slipway/server/route";
import { z } from "zod";

/** An expression of a generated type in TypeScript, and its required type. */
type Claim = { type: string; isNullable: boolean; values: readonly unknown[] | null };

/**
 * Returns a TypeScript program that compiles only if the types of a generated client match the routes' schemas: every
 * field of every body and answer is nullable exactly if its schema is, and an enum is the union of its values.
 *
 * @returns the program, which imports `paths` of `./slipway.d.ts`, and the number of checked fields.
 */
export function createTypeAssertions(routes: readonly Route[], getPath: (route: Route) => string) {
  const claims = routes.flatMap((route) => {
    const operation = `paths[${JSON.stringify(getPath(route))}][${JSON.stringify(route.method.toLowerCase())}]`;
    const json = `["content"]["application/json"]`;
    const { body } = route.schemas;
    const answers = Object.entries(route.answers).filter(([, { schema }]) => schema !== undefined);
    return [
      ...(body ? getClaims(body, `NonNullable<${operation}["requestBody"]>${json}`) : []),
      ...answers.flatMap(([status, { schema }]) => getClaims(schema!, `${operation}["responses"][${status}]${json}`)),
    ];
  });
  const lines = claims.map(({ type, isNullable, values }) => {
    const union = values?.map((value) => JSON.stringify(value)).join(" | ");
    return [
      `claim<IsNullable<${type}>, ${isNullable}>(true);`,
      ...(union === undefined ? [] : [`claim<Exclude<${type}, null | undefined>, ${union}>(true);`]),
    ].join("\n");
  });
  const program = `import type { paths } from "./slipway.d.ts";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type IsNullable<T> = null extends T ? true : false;
const claim = <A, B>(_: Same<A, B>) => undefined;
${lines.join("\n")}
`;
  return { program, fields: claims.length, nullable: claims.filter(({ isNullable }) => isNullable).length };
}

/** Returns the assertions of a schema and everything in it. */
function getClaims(schema: z.ZodType, type: string): Claim[] {
  const { inner, isNullable } = unwrap(schema);
  // `unknown` also includes null.
  if (inner instanceof z.ZodUnknown) return [];
  const values = inner instanceof z.ZodEnum ? inner.options : inner instanceof z.ZodLiteral ? [...inner.values] : null;
  const isNull = inner instanceof z.ZodNull;
  const own: Claim = { type, isNullable: isNullable || isNull, values };
  const present = `NonNullable<${type}>`;
  if (inner instanceof z.ZodObject) {
    const shape = Object.entries(inner.shape as Record<string, z.ZodType>);
    return [own, ...shape.flatMap(([name, field]) => getClaims(field, `${present}[${JSON.stringify(name)}]`))];
  }
  if (inner instanceof z.ZodArray) return [own, ...getClaims(inner.element as z.ZodType, `${present}[number]`)];
  if (inner instanceof z.ZodRecord) return [own, ...getClaims(inner.valueType as z.ZodType, `${present}[string]`)];
  return [own];
}

function unwrap(schema: z.ZodType): { inner: z.ZodType; isNullable: boolean } {
  if (schema instanceof z.ZodNullable) return { ...unwrap(schema.unwrap() as z.ZodType), isNullable: true };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrap(schema.unwrap() as z.ZodType);
  return { inner: schema, isNullable: false };
}
