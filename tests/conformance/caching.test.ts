import { describe, expect, it } from "vitest";
import { cachedRoutes } from "../support/conformance/routeTables.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

describe.skipIf(target.fixture === null).each(cachedRoutes)("%s", (operation) => {
  it("may be cached by anybody for ten seconds and has a strong ETag", async () => {
    const { status, headers } = await call(operation, validCalls[operation]!());
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=10");
    expect(headers.get("etag")).toMatch(/^"[^"]+"$/);
    expect(headers.get("vary") ?? "").not.toMatch(/cookie|authorization/i);
  });

  statusCase(operation, 304, "has no body for its ETag, alone, weak, in a list and as *", async () => {
    const { headers } = await call(operation, validCalls[operation]!());
    const etag = headers.get("etag") as string;
    for (const wanted of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await call(operation, { ...validCalls[operation]!(), headers: { "if-none-match": wanted } });
      // An answer that changed meanwhile has another tag and is sent in full.
      if (again.headers.get("etag") !== etag) continue;
      expect([again.status, again.bytes.length], wanted).toEqual([304, 0]);
      expect(again.headers.get("cache-control")).toBe("public, max-age=10");
    }
  });

  it("is sent whole for another ETag", async () => {
    const again = await call(operation, { ...validCalls[operation]!(), headers: { "if-none-match": '"other"' } });
    expect(again.status).toBe(200);
  });

  it("does not change with a cookie or a credential", async () => {
    const plain = await call(operation, validCalls[operation]!());
    const headers = { cookie: "slipway.session_token=x", authorization: `Bearer ${target.apiKey}` };
    const other = await call(operation, { ...validCalls[operation]!(), headers });
    if (plain.headers.get("etag") === other.headers.get("etag")) expect(other.bytes).toEqual(plain.bytes);
    expect(other.headers.get("cache-control")).toBe("public, max-age=10");
  });

  it("answers HEAD with the same headers and no body", async () => {
    const { path = {}, query = {} } = validCalls[operation]!();
    const filled = operation.replace("GET ", "").replace(/\{(\w+)\}/, (_, name: string) => path[name]!);
    const root = /^\/(?:api|feeds|og|\.well-known)\//.test(filled) ? target.siteUrl : target.baseUrl;
    const url = `${root}${filled}?${new URLSearchParams(query as Record<string, string>)}`;
    const response = await fetch(url, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=10");
    expect((await response.arrayBuffer()).byteLength).toBe(0);
  });
});

describe("errors", () => {
  it("are never cached", async () => {
    for (const answer of [
      await call("GET /tokens", { query: { limit: 0 } }),
      await call("GET /tokens/{address}", { path: { address: "0x00000000000000000000000000000000000C0de5" } }),
      await call("GET /qr.png", { query: { text: "x" } }),
    ]) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("etag")).toBeNull();
    }
  });
});
