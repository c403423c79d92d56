import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import { allEndpoints, type OperationName } from "./allEndpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OperationDefinition } from "./operations/operationDefinition.ts";
import { type OperationAnswer, type OperationInput, operations } from "./operations.ts";

const names = Object.keys(allEndpoints) as OperationName[];
const getKeys = (schema: z.ZodObject | undefined) => Object.keys(schema?.shape ?? {});

describe.each(names)("the operation %s", (name) => {
  const endpoint: Endpoint = allEndpoints[name];
  const definition: OperationDefinition = operations[name];

  it("has a schema for exactly the parameters of its path", () => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!);
    expect(getKeys(definition.params).sort()).toEqual(inPath.sort());
  });

  it("has the flags of its headers, its body and its answers", () => {
    const headers = getKeys(definition.headers);
    const contentTypes = Object.values(definition.answers).map(({ contentType }) => contentType);
    expect({
      idempotent: endpoint.idempotent ?? false,
      conditional: endpoint.conditional ?? false,
      multipart: endpoint.multipart ?? false,
      png: (endpoint.png ?? false) || endpoint.client === false,
    }).toEqual({
      idempotent: headers.includes("idempotency-key"),
      conditional: headers.includes("if-match"),
      multipart: definition.file !== undefined,
      png: contentTypes.some((type) => type === "image/png") || endpoint.client === false,
    });
  });

  it("has a body only with a method that sends one", () => {
    if (definition.body !== undefined) expect(["POST", "PUT", "PATCH"]).toContain(endpoint.method);
  });
});

describe("the types of the SDK", () => {
  it("follow the schemas of path, query and body", () => {
    expectTypeOf<OperationInput<"listTokenHolders">>().toExtend<{ address: string; limit?: number; cursor?: string }>();
    expectTypeOf<OperationInput<"listTokens">["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<OperationInput<"listTokens">["sort"]>().toEqualTypeOf<
      "volume" | "market_cap" | "new" | "gainers" | "losers" | "liquidity" | "trades" | "last_trade" | undefined
    >();
    expectTypeOf<OperationInput<"listTokens">["direction"]>().toEqualTypeOf<"asc" | "desc" | undefined>();
    expectTypeOf<OperationInput<"startPlan">["account_id"]>().toEqualTypeOf<string>();
    expectTypeOf<OperationInput<"uploadImage">["file"]>().toEqualTypeOf<Blob | Uint8Array<ArrayBuffer>>();
    expectTypeOf<OperationInput<"getConfig">>().toBeUnknown();
  });

  it("follow the schemas of the answers", () => {
    expectTypeOf<OperationAnswer<"listTokens">>().toEqualTypeOf<
      z.output<(typeof operations)["listTokens"]["answers"][200]["schema"]>
    >();
    expectTypeOf<OperationAnswer<"getReceiveCode">>().toEqualTypeOf<Uint8Array>();
  });
});
