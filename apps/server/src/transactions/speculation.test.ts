import { describe, expect, test, vi } from "vitest";
import { createSeenHeads, createSeenReads } from "../chain/lastSeen.ts";
import type { Head, HeadBlock } from "../chain/readChain.ts";
import { workAtHead, workWithRows } from "./speculation.ts";

const createBlock = (number: bigint, hash = `0x${number}`) => ({ number, timestamp: 1_000n, hash }) as HeadBlock;
const toHead = (block: HeadBlock) => ({ ...block, gasPriceInWei: 5n }) as Head;

/** Creates a process that has seen block 100 and read the price 7 at that block. */
function createSeen(key: string | null = "price") {
  const heads = createSeenHeads({ now: () => 0 });
  const seenReads = createSeenReads({ now: () => 0 });
  heads.note(createBlock(100n));
  seenReads.note("price", { price: 7n });
  const worked: string[] = [];
  const run = (found: { block?: HeadBlock; price?: bigint; isOneRound?: boolean }) => {
    const { block = createBlock(100n), price = 7n, isOneRound = true } = found;
    const state = key === null ? null : { price };
    return workAtHead(
      { heads, seenReads },
      { key },
      async () => ({ head: toHead(block), state, isOneRound }),
      async ({ number }, read) => {
        worked.push(`${read?.price} at ${number}`);
        return (read?.price ?? 0n) * 2n;
      },
    );
  };
  return { run, worked, seenReads, heads };
}

describe("workAtHead", () => {
  test("works once with the last read state, if the last seen block and the state are read again", async () => {
    const { run, worked } = createSeen();
    expect(await run({})).toMatchObject({ head: { gasPriceInWei: 5n }, state: { price: 7n }, result: 14n });
    expect(worked).toEqual(["7 at 100"]);
  });

  test("works once at the last seen block, if only the head is read", async () => {
    const { run, worked } = createSeen(null);
    await run({});
    expect(worked).toEqual(["undefined at 100"]);
  });

  test("works once, after the read, if no block was seen before", async () => {
    const worked: bigint[] = [];
    const memory = { heads: createSeenHeads({ now: () => 0 }), seenReads: createSeenReads({ now: () => 0 }) };
    const read = async () => ({ head: toHead(createBlock(100n)), state: null, isOneRound: true });
    await workAtHead(memory, { key: null }, read, async ({ number }) => worked.push(number));
    expect(worked).toEqual([100n]);
  });

  test.each([
    ["another state", { price: 8n }, "8 at 100"],
    ["a newer block", { block: createBlock(101n) }, "7 at 101"],
    ["another block of the same number", { block: createBlock(100n, "0xaa") }, "7 at 100"],
    ["the same block with another time", { block: { ...createBlock(100n), timestamp: 1_001n } }, "7 at 100"],
    ["a state that was read after the head", { isOneRound: false }, "7 at 100"],
  ])("works again if %s is read", async (_, found, expected) => {
    const { run, worked } = createSeen();
    const { result } = await run(found);
    expect([result, worked]).toEqual([("price" in found ? 8n : 7n) * 2n, ["7 at 100", expected]]);
  });

  test("works again if the work with the expected state fails, and throws the error of the second work", async () => {
    const { heads, seenReads } = createSeen();
    const run = (failures: number) => {
      let count = 0;
      return workAtHead(
        { heads, seenReads },
        { key: "price" },
        async () => ({ head: toHead(createBlock(100n)), state: { price: 7n }, isOneRound: true }),
        async () => {
          if (++count <= failures) throw new Error(`failure ${count}`);
          return count;
        },
      );
    };
    expect((await run(1)).result).toBe(2);
    await expect(run(2)).rejects.toThrow("failure 2");
  });

  test("throws the error of the read, without an unhandled rejection of the work", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { heads, seenReads } = createSeen();
    const read = () => Promise.reject(new Error("not read"));
    const work = async () => {
      throw new Error("not worked");
    };
    await expect(workAtHead({ heads, seenReads }, { key: "price" }, read, work)).rejects.toThrow("not read");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("does not keep a state that was read after the head", async () => {
    const { run, seenReads } = createSeen();
    await run({ price: 8n, isOneRound: false });
    expect(seenReads.find("price")).toEqual({ price: 7n });
  });

  test("works once after a change of the state, and with the new state after it was read twice", async () => {
    const { run, worked } = createSeen();
    await run({ price: 8n });
    worked.length = 0;
    await run({ price: 8n });
    await run({ price: 8n });
    expect(worked).toEqual(["8 at 100", "8 at 100"]);
  });
});

describe("workWithRows", () => {
  /** Loads a row once the chain's work has started, and counts the work. */
  async function run(seen: number | null, loaded: number) {
    const seenReads = createSeenReads({ now: () => 0 });
    if (seen !== null) seenReads.note("rows", [seen]);
    const order: string[] = [];
    const load = async () => {
      order.push("load");
      return [loaded];
    };
    const work = async ([row]: number[]) => {
      order.push(`work with ${row}`);
      return row! * 10;
    };
    const { result } = await workWithRows({ seenReads }, { key: "rows", weight: 1 }, load, work);
    return { result, order };
  }

  test("works with the last loaded rows while the rows are loaded again", async () => {
    expect(await run(1, 1)).toEqual({ result: 10, order: ["work with 1", "load"] });
  });

  test("works only with the loaded rows if no rows were loaded before, and works again if the rows differ", async () => {
    expect(await run(null, 1)).toEqual({ result: 10, order: ["load", "work with 1"] });
    expect(await run(2, 1)).toMatchObject({ result: 10, order: ["work with 2", "load", "work with 1"] });
  });
});
