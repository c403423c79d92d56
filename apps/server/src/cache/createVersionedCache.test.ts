import { expect, test } from "vitest";
import { createVersionedCache } from "./createVersionedCache.ts";

/** Creates a cache of one value, whose version is the number of its changes. */
function createCounted(maxBytes = 10_000) {
  const state = { now: 0, value: "a", version: 1, checks: 0, builds: 0, fails: false };
  const cache = createVersionedCache({
    clock: { now: () => state.now },
    maxBytes,
    readVersion: async () => {
      state.checks++;
      if (state.fails) throw new Error("no database");
      return String(state.version);
    },
  });
  const read = async (key = "key") => {
    const { bytes } = await cache.getResponse(key, async () => {
      state.builds++;
      return state.value;
    });
    return JSON.parse(String(bytes)) as string;
  };
  const change = (value: string) => {
    state.value = value;
    state.version++;
  };
  return { state, read, change };
}

test("builds a response once until its version changes, then immediately again", async () => {
  const { state, read, change } = createCounted();
  expect([await read(), await read(), await read("other")]).toEqual(["a", "a", "a"]);
  expect(state.builds).toBe(2);
  change("b");
  expect([await read(), await read(), state.builds]).toEqual(["b", "b", 3]);
});

test("concurrent requests share one check and one build", async () => {
  const { state, read } = createCounted();
  await read();
  state.version++;
  const before = { ...state };
  await Promise.all(Array.from({ length: 50 }, () => read()));
  expect([state.checks - before.checks, state.builds - before.builds]).toEqual([1, 1]);
});

test("shows changes without a new version after a second, also after the clock is set back", async () => {
  const { state, read } = createCounted();
  await read();
  state.value = "b";
  state.now = 1_000;
  expect(await read()).toBe("a");
  state.now = 1_001;
  expect(await read()).toBe("b");
  state.value = "c";
  state.now = 0;
  expect(await read()).toBe("c");
});

test("a failed check fails only its own requests; a size of 0 keeps no response", async () => {
  const { state, read } = createCounted();
  await read();
  state.fails = true;
  await expect(read()).rejects.toThrow("no database");
  state.fails = false;
  expect([await read(), state.builds]).toEqual(["a", 1]);
  const none = createCounted(0);
  expect([await none.read(), await none.read(), none.state.builds]).toEqual(["a", "a", 2]);
});
