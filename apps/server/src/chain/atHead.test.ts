import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { atHead, workWithState } from "./atHead.ts";
import { createSeenHeads, createSeenReads } from "./lastSeen.ts";
import type { Head, HeadBlock } from "./readChain.ts";

const createBlock = (number: bigint, hash = `0x${number}`) => ({ number, timestamp: 1_000n, hash }) as HeadBlock;

/** A process whose clock a test sets, in front of a node whose newest block it sets. */
function createProcess() {
  const now = { ms: 0 };
  const heads = createSeenHeads({ now: () => now.ms });
  const node = { newest: createBlock(100n) };
  const request = async ({ method }: { method: string }) => {
    if (method === "eth_chainId") return "0x1";
    if (method === "eth_gasPrice") return "0x5";
    const { number, hash } = node.newest;
    return { number: numberToHex(number), timestamp: "0x3e8", hash };
  };
  const worked: bigint[] = [];
  const work = async ({ number }: HeadBlock) => {
    worked.push(number);
    return `work at ${number}`;
  };
  return { now, heads, node, worked, work, chain: { request, heads } as never };
}

describe("atHead", () => {
  test("works once, after the head, where no block was seen before", async () => {
    const { chain, work, worked } = createProcess();
    expect(await atHead(chain, 1, work)).toMatchObject({ head: { number: 100n }, result: "work at 100" });
    expect(worked).toEqual([100n]);
  });

  test("works together with the reading of the head at the block that was seen last", async () => {
    const { chain, heads } = createProcess();
    heads.note(createBlock(100n));
    const order: string[] = [];
    const request = async (args: { method: string }) => {
      const answer = await (chain as { request: (args: object) => Promise<unknown> }).request(args);
      await new Promise((resolve) => setImmediate(resolve));
      order.push("answer");
      return answer;
    };
    const work = async () => order.push("work");
    const { head } = await atHead({ request, heads } as never, 1, work);
    expect([head.hash, head.gasPriceInWei, order[0], order.filter((what) => what === "work").length]).toEqual([
      ...["0x100", 5n, "work", 1],
    ]);
  });

  test.each([
    ["a newer block", createBlock(101n)],
    ["another block of the same number", createBlock(100n, "0xaa")],
  ])("works again where the head is %s, and answers with that alone", async (_, newest) => {
    const { chain, heads, node, work, worked } = createProcess();
    heads.note(createBlock(100n));
    node.newest = newest;
    const { head, result } = await atHead(chain, 1, work);
    expect([head.hash, result, worked]).toEqual([newest.hash, `work at ${newest.number}`, [100n, newest.number]]);
  });

  test("rejects with the error of the work at the head, and drops that of the work at another block", async () => {
    const { chain, heads, node } = createProcess();
    const fail = async ({ number }: HeadBlock) => {
      if (number === 100n) throw new Error("at 100");
      return "good";
    };
    heads.note(createBlock(100n));
    await expect(atHead(chain, 1, fail)).rejects.toThrow("at 100");
    node.newest = createBlock(101n);
    expect((await atHead(chain, 1, fail)).result).toBe("good");
  });

  test("works after what the work needs from the chain, at the head alone", async () => {
    const { chain, heads, work, worked } = createProcess();
    heads.note(createBlock(99n));
    await atHead(chain, 1, work, Promise.resolve());
    expect(worked).toEqual([100n]);
    await expect(atHead(chain, 1, work, Promise.reject(new Error("not found")))).rejects.toThrow("not found");
    expect(worked).toEqual([100n]);
  });
});

describe("workWithState", () => {
  /** A process that has seen block 100 and read the price 7 at it. */
  function createSeen() {
    const { heads } = createProcess();
    const seenReads = createSeenReads({ now: () => 0 });
    heads.note(createBlock(100n));
    seenReads.note("price", { price: 7n });
    const worked: string[] = [];
    const run = (found: { block?: HeadBlock; price?: bigint; isOneRound?: boolean }) => {
      const { block = createBlock(100n), price = 7n, isOneRound = true } = found;
      const head = { ...block, gasPriceInWei: 5n } as Head;
      return workWithState(
        { heads, seenReads },
        { key: "price" },
        async () => ({ head, state: { price }, isOneRound }),
        async ({ number }, state) => {
          worked.push(`${state.price} at ${number}`);
          return state.price * 2n;
        },
      );
    };
    return { run, worked, seenReads };
  }

  test("works once with what was read last, where that is read again at the block seen last", async () => {
    const { run, worked } = createSeen();
    expect(await run({})).toMatchObject({ head: { gasPriceInWei: 5n }, state: { price: 7n }, result: 14n });
    expect(worked).toEqual(["7 at 100"]);
  });

  test.each([
    ["another state", { price: 8n }, "8 at 100"],
    ["a newer block", { block: createBlock(101n) }, "7 at 101"],
    ["another block of the same number", { block: createBlock(100n, "0xaa") }, "7 at 100"],
    ["the same block with another time", { block: { ...createBlock(100n), timestamp: 1_001n } }, "7 at 100"],
    ["a state that was read after the head", { isOneRound: false }, "7 at 100"],
  ])("works again where %s is read", async (_, found, expected) => {
    const { run, worked } = createSeen();
    const { result } = await run(found);
    expect([result, worked]).toEqual([("price" in found ? 8n : 7n) * 2n, ["7 at 100", expected]]);
  });

  test("works again where the work with the expected state fails, and throws what that throws", async () => {
    const { heads } = createProcess();
    const seenReads = createSeenReads({ now: () => 0 });
    heads.note(createBlock(100n));
    seenReads.note("price", 7n);
    const run = (failures: number) => {
      let count = 0;
      const head = { ...createBlock(100n), gasPriceInWei: 5n } as Head;
      return workWithState(
        { heads, seenReads },
        { key: "price" },
        async () => ({ head, state: 7n, isOneRound: true }),
        async () => {
          if (++count <= failures) throw new Error(`failure ${count}`);
          return count;
        },
      );
    };
    expect((await run(1)).result).toBe(2);
    await expect(run(2)).rejects.toThrow("failure 2");
  });

  test("keeps no state that was read after the head", async () => {
    const { run, seenReads } = createSeen();
    await run({ price: 8n, isOneRound: false });
    expect(seenReads.find("price")).toEqual({ price: 7n });
  });

  test("works once where the state has just changed, and with the new one after it was read twice", async () => {
    const { run, worked } = createSeen();
    await run({ price: 8n });
    worked.length = 0;
    await run({ price: 8n });
    await run({ price: 8n });
    expect(worked).toEqual(["8 at 100", "8 at 100"]);
  });
});

describe("the block that is probably the newest", () => {
  test("is the one seen last, until half of the interval between blocks has passed", () => {
    const { heads, now } = createProcess();
    expect(heads.findLikely()).toBeNull();
    // A block every 200 ms.
    for (let number = 1n; number <= 40n; number++) {
      now.ms = Number(number) * 200;
      heads.note(createBlock(number));
    }
    now.ms += 99;
    expect(heads.findLikely()?.number).toBe(40n);
    now.ms += 2;
    expect(heads.findLikely()).toBeNull();
    // Seen again: still the newest.
    heads.note(createBlock(40n));
    expect(heads.findLikely()?.number).toBe(40n);
  });

  test("is none after a clock that was set back", () => {
    const { heads, now } = createProcess();
    now.ms = 1_000;
    heads.note(createBlock(1n));
    now.ms = 0;
    expect(heads.findLikely()).toBeNull();
  });
});
