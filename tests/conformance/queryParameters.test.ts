import { describe, expect, it } from "vitest";
import type { Call } from "../support/conformance/call.ts";
import { findErrorTextFault } from "../support/conformance/errorText.ts";
import type { Operation, Parameter } from "../support/conformance/openApi.ts";
import { foreignFeedRoutes } from "../support/conformance/routeTables.ts";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

/** Operations whose parameters another party chooses: an OAuth provider, monitors, and readers of feeds. */
const foreign: ReadonlySet<string> = new Set([
  ...["GET /api/auth/callback/{provider}", "GET /healthz", "GET /readyz", "GET /metrics"],
  ...foreignFeedRoutes,
]);

type Schema = { type?: string; enum?: string[]; minimum?: number; maximum?: number; pattern?: string; format?: string };

const operations = [...caller.api.operations.values()].filter(
  ({ name, path }) => !foreign.has(name) && (target.adminKey !== null || !path.startsWith("/api/admin/")),
);
const getParameters = ({ about }: Operation): Parameter[] =>
  (about.parameters ?? []).filter((parameter) => parameter.in === "query");

/** Sends a request that is well-formed except for its query. */
async function refuse(operation: Operation, query: string) {
  const valid: Call = validCalls[operation.name]!();
  const required = getParameters(operation).filter(({ required: isRequired }) => isRequired);
  const given = required
    .filter(({ name }) => !new URLSearchParams(query).has(name))
    .map(({ name }) => `${name}=${encodeURIComponent(String(valid.query?.[name]))}`);
  const { status, body } = await call(operation.name, { ...valid, rawQuery: [...given, query].join("&") });
  expect([status, body.error.code], query).toEqual([400, "invalid_query"]);
  expect(findErrorTextFault(body.error)).toBeNull();
  return body.error as { field: string; message: string; details?: { allowed?: string[] } };
}

describe.each(operations.map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
  const parameters = getParameters(operation);
  const names = parameters.map((parameter) => parameter.name);

  statusCase(
    name,
    400,
    "refuses a query parameter that it does not declare, and lists those that it does",
    async () => {
      for (const unknown of ["surprise", "Limit", "limit%5B%5D", "constructor", "__proto__"]) {
        const { field, message, details } = await refuse(operation, `${unknown}=1`);
        expect(field).toBe(unknown === "limit%5B%5D" ? '["limit[]"]' : unknown);
        for (const known of names) expect(message).toContain(known);
        expect(details?.allowed).toEqual(names);
      }
    },
  );
});

const declared = operations.flatMap((operation) =>
  getParameters(operation).map((parameter) => [`${operation.name} ?${parameter.name}=`, operation, parameter] as const),
);

describe.each(declared)("%s", (_, operation, parameter) => {
  const { name } = parameter;
  const schema = parameter.schema as Schema;
  const isFreeText =
    schema.type === "string" && !schema.enum && schema.pattern === undefined && schema.format === undefined;

  it("is refused when it is sent twice", async () => {
    for (const value of ["1", ""]) {
      const { field, message } = await refuse(operation, `${name}=${value}&${name}=${value}`);
      expect([field, message]).toEqual([name, `${name} is sent more than once; send it once.`]);
    }
  });

  it("is refused when its value is not one that it allows, and says which are", async () => {
    const values = ["nonsense nonsense", "1e1", " 5", "5 ", "0x10", "5.0", "+5", "-1", "null", "99999999999999999999"];
    // Another text in a parameter with this name is rejected as a credential.
    const own =
      name === "token" ? ["", "0x12", `0x${"0".repeat(40)}`] : ["\u0000", ...(isFreeText ? [] : ["", ...values])];
    for (const value of own) {
      const { field, message, details } = await refuse(operation, `${name}=${encodeURIComponent(value)}`);
      expect(field).toBe(name);
      expect(message.startsWith(`${name} must `), message).toBe(true);
      if (schema.enum) expect(details?.allowed).toEqual(schema.enum);
      for (const allowed of schema.enum ?? []) expect(message).toContain(allowed);
    }
  });

  if (schema.minimum !== undefined && schema.maximum !== undefined) {
    it("is refused outside of its range", async () => {
      for (const value of [schema.minimum! - 1, schema.maximum! + 1]) {
        const { message } = await refuse(operation, `${name}=${value}`);
        // The server does not treat a cursor as a number.
        expect(message).toMatch(new RegExp(`from ${schema.minimum} to ${schema.maximum}|next_before`));
      }
    });
  }

  if (parameter.required) {
    it("is required", async () => {
      const { query, ...valid } = validCalls[operation.name]!();
      const { [name]: _left, ...others } = query!;
      const { status, body } = await call(operation.name, { ...valid, query: others });
      expect([status, body.error.field, body.error.message]).toEqual([400, name, `${name} is required.`]);
    });
  }
});

describe("the parameters of another party", () => {
  it.each(["GET /healthz", "GET /readyz", "GET /metrics"])("are left alone: %s", async (name) => {
    expect((await call(name, { rawQuery: "probe=1&probe=2" })).status).toBe(200);
  });
});
