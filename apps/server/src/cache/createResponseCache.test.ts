import { describe, expect, test } from "vitest";
import { parseOutboxChange } from "../live/outboxEvent.ts";
import { CachedResponse, serializeJson } from "./cachedResponse.ts";
import { getChangedTags } from "./cacheTag.ts";
import { createResponseCache } from "./createResponseCache.ts";

const toResponse = (text: string) => new CachedResponse(Buffer.from(text), `"${text}"`);

/** Creates a build that ends when the test calls `finish`. */
function pendingBuild() {
  let finish: (response: CachedResponse) => void = () => undefined;
  let builds = 0;
  return {
    build: () => {
      builds++;
      return new Promise<CachedResponse>((resolve) => {
        finish = resolve;
      });
    },
    finish: (text: string) => finish(toResponse(text)),
    builds: () => builds,
  };
}

describe("the response cache", () => {
  test("builds once for fifty concurrent requests", async () => {
    const cache = createResponseCache(1e6);
    const pending = pendingBuild();
    const requested = Array.from({ length: 50 }, () => cache.getOrBuild("k", ["tokens"], pending.build));
    pending.finish("a");
    expect(new Set(await Promise.all(requested)).size).toBe(1);
    await cache.getOrBuild("k", ["tokens"], pending.build);
    expect(pending.builds()).toBe(1);
  });

  test("does not keep a response whose query may have run before a change", async () => {
    const cache = createResponseCache(1e6);
    const pending = pendingBuild();
    const first = cache.getOrBuild("k", ["tokens"], pending.build);
    cache.invalidate(["tokens"]);
    const late = pendingBuild();
    const second = cache.getOrBuild("k", ["tokens"], late.build);
    pending.finish("old");
    late.finish("new");
    expect((await first).etag).toBe('"old"');
    expect((await second).etag).toBe('"new"');
    expect(cache.peek("k")?.etag).toBe('"new"');
  });

  test("keeps responses that do not depend on a changed tag", async () => {
    const cache = createResponseCache(1e6);
    await cache.getOrBuild("a", ["token:0xa", "minute"], async () => toResponse("a"));
    await cache.getOrBuild("b", ["token:0xb"], async () => toResponse("b"));
    cache.invalidate(["token:0xa"]);
    expect([cache.peek("a"), cache.peek("b")?.etag]).toEqual([undefined, '"b"']);
    cache.invalidate("everything");
    expect(cache.peek("b")).toBeUndefined();
  });

  test("C4-96 keeps small responses in memory of their own, not in a pool of many kilobytes", async () => {
    const cache = createResponseCache(1e6);
    for (const [key, build] of [
      ["bytes", async () => toResponse("a")],
      ["json", async () => serializeJson({ items: [] })],
    ] as const) {
      const { bytes } = await cache.getOrBuild(key, ["tokens"], build);
      expect([key, bytes.buffer.byteLength]).toEqual([key, bytes.length]);
    }
    expect(serializeJson({ items: [] }).bytes.toString()).toBe('{"items":[]}');
  });

  test("does not keep a failed build", async () => {
    const cache = createResponseCache(1e6);
    await expect(cache.getOrBuild("k", [], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect((await cache.getOrBuild("k", [], async () => toResponse("yes"))).etag).toBe('"yes"');
  });

  test("does not exceed its maximum size and evicts the least recently used response", async () => {
    const cache = createResponseCache(20_000);
    for (let n = 0; n < 100; n++) {
      await cache.getOrBuild(`k${n}`, [], async () => toResponse("x".repeat(1_000)));
      cache.peek("k0");
    }
    expect(cache.size().bytes).toBeLessThanOrEqual(20_000);
    expect(cache.size().responses).toBeGreaterThan(5);
    expect(cache.peek("k0")).toBeDefined();
    expect(cache.peek("k1")).toBeUndefined();
    await cache.getOrBuild("huge", [], async () => toResponse("x".repeat(30_000)));
    expect(cache.size().bytes).toBeLessThanOrEqual(20_000);
  });

  test("limits the tracked tags by invalidating all responses", async () => {
    const cache = createResponseCache(1e6);
    await cache.getOrBuild("k", ["token:0xa1"], async () => toResponse("k"));
    for (let n = 0; n <= 100_001; n++) cache.invalidate([`token:0x${n}`]);
    expect(cache.peek("k")).toBeUndefined();
  });

  test("keeps no response with a maximum size of zero, and still responds", async () => {
    const cache = createResponseCache(0);
    expect((await cache.getOrBuild("k", [], async () => toResponse("a"))).etag).toBe('"a"');
    expect(cache.peek("k")).toBeUndefined();
  });
});

test.each([
  [{ kind: "trade", token: "0xA", tokens: null }, ["tokens", "token:0xa"]],
  [{ kind: "state", token: null, tokens: ["0xa", "0xb"] }, ["tokens", "token:0xa", "token:0xb"]],
  [{ kind: "eth_usd", token: null, tokens: null }, ["eth_usd"]],
  [{ kind: "batch", token: null, tokens: null }, "everything"],
  [{ kind: "trade", token: null, tokens: null }, "everything"],
  [{ kind: "unknown kind", token: null, tokens: null }, "everything"],
  [{ kind: "eth_usd", schema_version: 2, token: null, tokens: null }, "everything"],
])("the outbox row %j invalidates %j", (change, expected) => {
  expect(getChangedTags(parseOutboxChange({ schema_version: null, ...change }))).toEqual(expected);
});
