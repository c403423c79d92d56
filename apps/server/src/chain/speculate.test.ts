import { describe, expect, test, vi } from "vitest";
import { speculate } from "./speculate.ts";

const isExpected = (value: number, expected: number) => value === expected;

/** A reading that a test ends, and work that says what it worked with. */
function createParts() {
  const reading = Promise.withResolvers<number>();
  const order: string[] = [];
  const read = async () => {
    order.push("read");
    return await reading.promise;
  };
  const work = vi.fn(async (value: number) => {
    order.push(`work with ${value}`);
    return value * 10;
  });
  return { reading, read, work, order };
}

describe("speculate", () => {
  test("works once, with the value read, where nothing is expected", async () => {
    const { reading, read, work, order } = createParts();
    const done = speculate({ expected: null, read, isExpected, work });
    expect(order).toEqual(["read"]);
    reading.resolve(1);
    expect(await done).toEqual({ value: 1, result: 10 });
    expect(order).toEqual(["read", "work with 1"]);
  });

  test("works with the expected value while the value is read, and once where it is the expected one", async () => {
    const { reading, read, work, order } = createParts();
    const done = speculate({ expected: 1, read, isExpected, work });
    expect(order).toEqual(["read", "work with 1"]);
    reading.resolve(1);
    expect(await done).toEqual({ value: 1, result: 10 });
    expect(work).toHaveBeenCalledTimes(1);
  });

  test("works again with another value, without waiting for the first work, whose result is dropped", async () => {
    const { reading, read } = createParts();
    const work = async (value: number) => (value === 1 ? await new Promise<number>(() => undefined) : value * 10);
    const done = speculate({ expected: 1, read, isExpected, work });
    reading.resolve(2);
    expect(await done).toEqual({ value: 2, result: 20 });
  });

  test("throws what the work throws with the value read, and not what it throws with another", async () => {
    const fail = async (value: number) => {
      if (value === 1) throw new Error("with 1");
      return value * 10;
    };
    const run = (expected: number | null, found: number) =>
      speculate({ expected, read: async () => found, isExpected, work: fail });
    expect((await run(1, 2)).result).toBe(20);
    await expect(run(1, 1)).rejects.toThrow("with 1");
    await expect(run(2, 1)).rejects.toThrow("with 1");
  });

  test("throws what the reading throws, and leaves no rejection of the work unhandled", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const read = () => Promise.reject<number>(new Error("not read"));
    const work = async (): Promise<number> => {
      throw new Error("not worked");
    };
    await expect(speculate({ expected: 1, read, isExpected, work })).rejects.toThrow("not read");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
