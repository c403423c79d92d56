import { ReadyAnswer } from "./cachedResponse.ts";
import { createAnswerCache } from "./createResponseCache.ts";
import { tagsOf } from "./cacheTag.ts";
import { describe, expect, test } from "vitest";

const ready = (text: string) => new ReadyAnswer(Buffer.from(text), `"${text}"`);

/** A build that ends when it is told to. */
function pendingBuild() {
  let finish: (answer: ReadyAnswer) => void = () => undefined;
  let builds = 0;
  return {
    build: () => {
      builds++;
      return new Promise<ReadyAnswer>((resolve) => {
        finish = resolve;
      });
    },
    finish: (text: string) => finish(ready(text)),
    builds: () => builds,
  };
}

describe("answer cache", () => {
  test("builds once, also for fifty who ask at once", async () => {
    const cache = createAnswerCache(1e6);
    const pending = pendingBuild();
    const asked = Array.from({ length: 50 }, () => cache.answer("k", ["tokens"], pending.build));
    pending.finish("a");
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    await cache.answer("k", ["tokens"], pending.build);
    expect(pending.builds()).toBe(1);
  });

  test("does not keep an answer whose query may have run before a change", async () => {
    const cache = createAnswerCache(1e6);
    const pending = pendingBuild();
    const first = cache.answer("k", ["tokens"], pending.build);
    cache.changed(["tokens"]);
    const late = pendingBuild();
    const second = cache.answer("k", ["tokens"], late.build);
    pending.finish("old");
    late.finish("new");
    expect((await first).etag).toBe('"old"');
    expect((await second).etag).toBe('"new"');
    expect(cache.peek("k")?.etag).toBe('"new"');
  });

  test("keeps what a change does not concern", async () => {
    const cache = createAnswerCache(1e6);
    await cache.answer("a", ["token:0xa", "minute"], async () => ready("a"));
    await cache.answer("b", ["token:0xb"], async () => ready("b"));
    cache.changed(["token:0xa"]);
    expect([cache.peek("a"), cache.peek("b")?.etag]).toEqual([undefined, '"b"']);
    cache.changed("everything");
    expect(cache.peek("b")).toBeUndefined();
  });

  test("does not keep a build that failed", async () => {
    const cache = createAnswerCache(1e6);
    await expect(cache.answer("k", [], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect((await cache.answer("k", [], async () => ready("yes"))).etag).toBe('"yes"');
  });

  test("stays within its bytes and drops what was asked for longest ago", async () => {
    const cache = createAnswerCache(20_000);
    for (let n = 0; n < 100; n++) {
      await cache.answer(`k${n}`, [], async () => ready("x".repeat(1_000)));
      cache.peek("k0");
    }
    expect(cache.size().bytes).toBeLessThanOrEqual(20_000);
    expect(cache.size().answers).toBeGreaterThan(5);
    expect(cache.peek("k0")).toBeDefined();
    expect(cache.peek("k1")).toBeUndefined();
    await cache.answer("huge", [], async () => ready("x".repeat(30_000)));
    expect(cache.size().bytes).toBeLessThanOrEqual(20_000);
  });

  test("forgets single changes rather than grow without end, and forgets them on the safe side", async () => {
    const cache = createAnswerCache(1e6);
    await cache.answer("k", ["token:0xkept"], async () => ready("k"));
    for (let n = 0; n <= 100_001; n++) cache.changed([`token:0x${n}`]);
    expect(cache.peek("k")).toBeUndefined();
  });

  test("keeps nothing in no space, and still answers", async () => {
    const cache = createAnswerCache(0);
    expect((await cache.answer("k", [], async () => ready("a"))).etag).toBe('"a"');
    expect(cache.peek("k")).toBeUndefined();
  });
});

test.each([
  [{ kind: "trade", token: "0xA", tokens: null }, ["tokens", "token:0xa"]],
  [{ kind: "state", token: null, tokens: ["0xa", "0xb"] }, ["tokens", "token:0xa", "token:0xb"]],
  [{ kind: "eth_usd", token: null, tokens: null }, ["eth_usd"]],
  [{ kind: "batch", token: null, tokens: null }, "everything"],
  [{ kind: "trade", token: null, tokens: null }, "everything"],
  [{ kind: "unheard of", token: null, tokens: null }, "everything"],
])("an outbox row %j changes %j", (change, expected) => {
  expect(tagsOf({ id: 1, ...change })).toEqual(expected);
});
