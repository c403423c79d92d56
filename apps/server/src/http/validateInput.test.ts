import { SlipwayError } from "@slipway/protocol/errors";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileValidator, createCheckQuery } from "./validateInput.ts";

const refusal = (check: () => unknown) => {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    const { code, field, message, details } = error;
    return { code, field, message, details };
  }
};

describe("createCheckQuery", () => {
  const schemas = { query: z.object({ sort: z.string().optional(), limit: z.string().optional() }) };
  const check = createCheckQuery({ schemas });

  it("accepts each declared parameter once, also an empty one, which its schema validates", () => {
    for (const query of [{}, { sort: "a" }, { sort: "", limit: "5" }]) expect(refusal(() => check(query))).toBeNull();
  });

  it("refuses an undeclared parameter and names the declared ones", () => {
    expect(refusal(() => check({ sort: "a", limt: "5" }))).toEqual({
      code: "invalid_query",
      field: "limt",
      details: { allowed: ["sort", "limit"] },
      message: "limt is not a query parameter here; the parameters are sort, limit.",
    });
    expect(refusal(() => createCheckQuery({ schemas: {} })({ "": "5" }))).toEqual({
      code: "invalid_query",
      field: '[""]',
      details: { allowed: [] },
      message: '[""] is not a query parameter here; there are none.',
    });
  });

  it("refuses a parameter that is sent twice, even with equal values", () => {
    expect(refusal(() => check({ limit: ["5", "5"] }))).toMatchObject({ code: "invalid_query", field: "limit" });
  });

  it("leaves the query of another party alone", () => {
    const foreign = createCheckQuery({ schemas: {}, foreignQuery: true });
    expect(refusal(() => foreign({ code: "1", state: ["a", "b"] }))).toBeNull();
  });
});

describe("compileValidator", () => {
  const validate = (httpPart: string, schema: z.ZodType, value: unknown) =>
    refusal(() => {
      const result = compileValidator({ schema, httpPart, method: "GET", url: "/" } as never)(value) as {
        error?: Error;
      };
      if (result.error) throw result.error;
    });

  it.each([
    ["body", "name", "invalid_fields"],
    ["querystring", "sort", "invalid_query"],
    ["params", "address", "invalid_address"],
    ["params", "id", "invalid_request"],
    ["headers", "last-event-id", "invalid_request"],
    ["headers", "idempotency-key", "idempotency_key_missing"],
  ])("has a code for a fault of the %s, here %s: %s", (part, name, code) => {
    expect(validate(part, z.object({ [name]: z.string() }), {})?.code).toBe(code);
    expect(validate(part, z.object({ [name]: z.string() }), { [name]: "a" })).toBeNull();
  });

  it("names the allowed values in the details", () => {
    const sort = z.object({ sort: z.enum(["new", "volume"]) });
    expect(validate("querystring", sort, { sort: "old" })).toEqual({
      code: "invalid_query",
      field: "sort",
      details: { allowed: ["new", "volume"] },
      message: "sort must be one of new, volume.",
    });
  });
});
