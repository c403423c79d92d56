import { describe, expect, test } from "vitest";
import { findSpecificationFaults, requireDescribed } from "../../../../../tests/support/asyncApi.ts";
import { createAsyncApiDocument } from "./createAsyncApiDocument.ts";

const document = createAsyncApiDocument({ SITE_URL: "https://slipway.example" }) as any;

/** Every `$ref` of a value. */
function* listReferences(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "$ref" && typeof inner === "string") yield inner;
    else yield* listReferences(inner);
  }
}

describe("the AsyncAPI document", () => {
  test("is valid by the specification's own schema", () => {
    expect(findSpecificationFaults(document)).toBeNull();
    // Proves that the check finds faults.
    expect(findSpecificationFaults({ ...document, operations: { wrong: { action: "shout" } } })).not.toBeNull();
  });

  test("has no dangling reference", () => {
    for (const reference of listReferences(document)) {
      const found = reference
        .slice(2)
        .split("/")
        .reduce((value: any, name) => value?.[name], document);
      expect(found, reference).toBeDefined();
    }
  });

  test("describes each message once, with an operation and a summary", () => {
    const described = Object.values<any>(document.channels).flatMap(({ messages }) => Object.keys(messages));
    expect(described.sort()).toEqual(Object.keys(document.components.messages).sort());
    const used = JSON.stringify(document.operations);
    for (const [name, { summary }] of Object.entries<any>(document.components.messages)) {
      expect([name, used.includes(`/messages/${name}"`), typeof summary]).toEqual([name, true, "string"]);
    }
  });

  test("refuses a message that differs from its schema", () => {
    requireDescribed("live", { type: "pong", id: "1" });
    expect(() => requireDescribed("live", { type: "pong", id: 1 })).toThrow("live_pong");
    expect(() => requireDescribed("live", { type: "other" })).toThrow("no message");
  });

  test("is equal for equal settings", () => {
    expect(createAsyncApiDocument({ SITE_URL: "https://slipway.example" })).toEqual(document);
  });
});
