import { allEndpoints } from "@slipway/protocol/allEndpoints";
import { createClient } from "@slipway/sdk/createClient";
import type { MethodName } from "@slipway/sdk/createLeanClient";
import { describe, expect, it } from "vitest";
import { foreignFeedRoutes, guardedRoutes, openRoutes, signInRoutes } from "../support/conformance/routeTables.ts";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

describe("the tables of guarded and open routes", () => {
  it("list every operation of the OpenAPI document exactly once, guarded where it says so", () => {
    const declared = [...caller.api.operations.values()];
    const names = (guarded: boolean) => declared.filter((one) => one.guarded === guarded).map(({ name }) => name);
    expect(names(true).sort()).toEqual([...guardedRoutes].sort());
    expect(names(false).sort()).toEqual([...openRoutes, ...signInRoutes].sort());
  });

  it("are what the client has a method for, each with the same name, path and guard", () => {
    // Streams have separate functions; a browser follows a provider's callback and shows pictures by itself.
    const isForeignFeed = (name: string) => foreignFeedRoutes.some((route) => route === name);
    const others = [
      "streamLive",
      "finishLink",
      "getImage",
      "getImageSize",
      "getTokenCard",
      "openUnsubscribePage",
      "getLiveness",
      "getReadiness",
      "getMetrics",
      "listClearSigning",
      "getClearSigning",
    ];
    const declared = [...caller.api.operations.values()].filter(
      ({ operationId, name }) => !others.includes(operationId) && !isForeignFeed(name),
    );
    const methodNames = Object.keys(createClient({ baseUrl: target.baseUrl })) as MethodName[];
    expect(
      methodNames
        .map((name) => {
          const { method, path, auth } = allEndpoints[name];
          return `${name} ${method} ${path} ${auth === "bearer"}`;
        })
        .sort(),
    ).toEqual(declared.map(({ operationId, name, guarded }) => `${operationId} ${name} ${guarded}`).sort());
  });

  it("have a valid call for every operation", () => {
    expect(Object.keys(validCalls).sort()).toEqual([...guardedRoutes, ...openRoutes, ...signInRoutes].sort());
  });
});

const badKeys: Record<string, string | null> = {
  "no credential": null,
  "a key that was never issued": "slip_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "a key with one letter changed": `${target.apiKey.slice(0, -1)}${target.apiKey.endsWith("A") ? "B" : "A"}`,
};

describe.each(guardedRoutes)("%s", (operation) => {
  statusCase(
    operation,
    401,
    "refuses no credential, an unknown one and a changed one, and says how to authenticate",
    async () => {
      for (const [what, key] of Object.entries(badKeys)) {
        const answer = await call(operation, { ...validCalls[operation]!(), key });
        expect(answer.status, what).toBe(401);
        expect(answer.headers.get("www-authenticate"), what).toBe("Bearer");
        expect(answer.headers.get("cache-control"), what).toBe("no-store");
        expect(answer.body.error.code, what).toBe("unauthorized");
      }
    },
  );

  it("refuses other schemes than Bearer and a key that is not one token", async () => {
    for (const authorization of [
      `Basic ${btoa(`${target.apiKey}:`)}`,
      target.apiKey,
      "Bearer",
      "Bearer ",
      `Bearer ${target.apiKey} x`,
      `Bearer ${"x".repeat(5_000)}`,
    ]) {
      const answer = await call(operation, {
        ...validCalls[operation]!(),
        key: null,
        headers: { ...validCalls[operation]!().headers, authorization },
      });
      expect(answer.status, authorization.slice(0, 20)).toBe(401);
    }
  });

  it("answers a bad credential before it reads the body", async () => {
    const answer = await call(operation, { ...validCalls[operation]!(), body: undefined, key: null });
    expect(answer.status).toBe(401);
  });

  it("takes the scheme's name in any case", async () => {
    const { headers, ...rest } = validCalls[operation]!();
    const authorization = `bearer ${target.apiKey}`;
    const answer = await call(operation, { ...rest, key: null, headers: { ...headers, authorization } });
    expect(answer.status).not.toBe(401);
  });
});

describe.each(openRoutes)("%s", (operation) => {
  it("answers without a credential, and the same with a bad one", async () => {
    for (const key of Object.values(badKeys)) {
      const answer = await call(operation, { ...validCalls[operation]!(), key });
      expect([200, 202, ...(target.fixture === null ? [404] : [])]).toContain(answer.status);
    }
  });

  it("never sets a cookie", async () => {
    const answer = await call(operation, validCalls[operation]!());
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe.each([...guardedRoutes, ...openRoutes, ...signInRoutes])("%s", (operation) => {
  statusCase(
    operation,
    400,
    "refuses a credential in the URL, also where none is needed, and does not repeat it",
    async () => {
      const queries: Record<string, string>[] = [
        { api_key: "abc" },
        { access_token: target.apiKey },
        { Authorization: "Bearer x" },
        { q: target.apiKey },
        { token: target.apiKey },
      ];
      for (const query of queries) {
        const valid = validCalls[operation]!();
        const answer = await call(operation, {
          ...valid,
          query: { ...valid.query, ...query },
        });
        expect(answer.status).toBe(400);
        expect(answer.body.error.code).toBe("credentials_in_url");
        expect(JSON.stringify(answer.body)).not.toContain(target.apiKey);
        expect(answer.headers.get("cache-control")).toBe("no-store");
      }
    },
  );
});

const withToken = [...caller.api.operations.values()]
  .filter(({ about }) => about.parameters?.some((one) => one.in === "query" && one.name === "token"))
  .map(({ name }) => name);

describe.each(withToken)("%s", (operation) => {
  it("names the parameter token when its value is neither an address nor a credential", async () => {
    const { query, ...valid } = validCalls[operation]!();
    for (const token of ["USDC", "0x12", "not-an-address"]) {
      const { status, body } = await call(operation, { ...valid, query: { ...query, token } });
      expect([status, body.error.code, body.error.field]).toEqual([400, "invalid_query", "token"]);
    }
  });
});

describe("every answer", () => {
  it("names its request in header and error body alike", async () => {
    const { headers, body } = await call("GET /intents", { key: null });
    expect(body.error.request_id).toBe(headers.get("x-request-id"));
  });

  it("lets any page read it, and never with the page's own credentials", async () => {
    const { headers } = await call("GET /tokens", { headers: { origin: "https://elsewhere.example" } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("is a coded 404 where there is no route", async () => {
    for (const path of ["/nothing", "/tokens/x/y/z", "/intents/x/y"]) {
      const response = await fetch(`${target.baseUrl}${path}`);
      expect(response.status).toBe(404);
      expect((await response.json()) as object).toMatchObject({ error: { code: "not_found", retryable: false } });
    }
  });
});
