import { describe, expect, it } from "vitest";
import { tidySchemas } from "./tidySchemas.ts";

describe("tidySchemas", () => {
  it("removes the limits of JavaScript's integers and keeps real limits", () => {
    const [low, high] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    expect(tidySchemas({ type: "integer", minimum: low, maximum: high })).toEqual({ type: "integer" });
    expect(tidySchemas({ type: "integer", minimum: 0, maximum: 300 })).toEqual({
      type: "integer",
      minimum: 0,
      maximum: 300,
    });
  });

  it("writes null as one of the types, and as one of the values of an enum", () => {
    expect(tidySchemas({ anyOf: [{ type: "string", format: "uuid" }, { type: "null" }] })).toEqual({
      type: ["string", "null"],
      format: "uuid",
    });
    expect(tidySchemas({ anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] })).toEqual({
      type: ["string", "null"],
      enum: ["a", "b", null],
    });
    expect(tidySchemas({ anyOf: [{ type: "boolean", const: true }, { type: "null" }] })).toEqual({
      anyOf: [{ type: "boolean", const: true }, { type: "null" }],
    });
  });

  it("keeps a reference or a union beside null", () => {
    for (const anyOf of [
      [{ $ref: "#/components/schemas/Quote" }, { type: "null" }],
      [{ type: "string" }, { type: "integer" }, { type: "null" }],
      [{ type: "string" }, { type: "integer" }],
    ]) {
      expect(tidySchemas({ anyOf })).toEqual({ anyOf });
    }
  });

  it("gives integer literals the type integer, and other literals another type", () => {
    expect(tidySchemas({ type: "number", enum: [100, 50] })).toEqual({ type: "integer", enum: [100, 50] });
    expect(tidySchemas({ type: "number", const: 1 })).toEqual({ type: "integer", const: 1 });
    expect(tidySchemas({ type: "number", enum: [0.5, 1] })).toEqual({ type: "number", enum: [0.5, 1] });
    expect(tidySchemas({ type: "number" })).toEqual({ type: "number" });
  });

  it("keeps the type of a text in each of its several patterns", () => {
    expect(tidySchemas({ type: "string", allOf: [{ pattern: "a" }, { pattern: "b" }] })).toEqual({
      type: "string",
      allOf: [
        { type: "string", pattern: "a" },
        { type: "string", pattern: "b" },
      ],
    });
  });

  it("changes properties of any name, and no value of an example", () => {
    const maximum = Number.MAX_SAFE_INTEGER;
    const schema = { type: "integer", maximum };
    expect(tidySchemas({ properties: { value: schema, enum: schema }, example: schema })).toEqual({
      properties: { value: { type: "integer" }, enum: { type: "integer" } },
      example: schema,
    });
  });
});
