import { expect, test } from "vitest";
import { createKeyedMutex } from "./requestQueue.ts";

function createWork() {
  const runExclusive = createKeyedMutex({ nowMs: () => 0, maxLength: 3, maxWaitMs: 1_000 });
  const running: { name: string; end: () => void; fail: (error: Error) => void }[] = [];
  const start = (key: string, name: string) =>
    runExclusive(key, () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      running.push({ name, end: () => resolve(name), fail: reject });
      return promise;
    });
  return {
    start,
    running,
    names: () => running.map(({ name }) => name),
  };
}
const nextIteration = () => new Promise((resolve) => setImmediate(resolve));
const overloaded = { code: "overloaded" };

test("runs the work of a key one after the other, in order, and the work of other keys in parallel", async () => {
  const { start, running, names } = createWork();
  const works = [start("a", "a1"), start("a", "a2"), start("b", "b1"), start("a", "a3")];
  await nextIteration();
  expect(names()).toEqual(["a1", "b1"]);
  running[0]!.end();
  await nextIteration();
  expect(names()).toEqual(["a1", "b1", "a2"]);
  running[2]!.fail(new Error("failed"));
  await expect(works[1]).rejects.toThrow("failed");
  await nextIteration();
  expect(names()).toEqual(["a1", "b1", "a2", "a3"]);
  running[1]!.end();
  running[3]!.end();
  expect(await Promise.all([works[0], works[2], works[3]])).toEqual(["a1", "b1", "a3"]);
  const later = start("a", "a4");
  await nextIteration();
  running[4]!.end();
  expect(await later).toBe("a4");
});

test("rejects work of a key with too much waiting work", async () => {
  const { start, running } = createWork();
  const works = ["a1", "a2", "a3", "a4"].map((name) => start("a", name));
  await expect(start("a", "a5")).rejects.toMatchObject(overloaded);
  for (let n = 0; n < 4; n++) {
    await nextIteration();
    running[n]!.end();
  }
  expect(await Promise.all(works)).toEqual(["a1", "a2", "a3", "a4"]);
});
