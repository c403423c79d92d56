import { describe, expect, test } from "vitest";
import type { HeadBlock } from "./chain.ts";
import { createSeenHeads, createSeenReads } from "./lastSeen.ts";

function createMemory() {
  const now = { ms: 1 };
  return { now, reads: createSeenReads({ now: () => now.ms }) };
}

describe("the last read of a key", () => {
  test("is found for a minute", () => {
    const { now, reads } = createMemory();
    expect(reads.find("a")).toBeNull();
    reads.note("a", { amount: 1n });
    expect(reads.find("a")).toEqual({ amount: 1n });
    expect(reads.find("b")).toBeNull();
    now.ms = 60_002;
    expect(reads.find("a")).toBeNull();
  });

  test("is not found after a change, until two reads are equal", () => {
    const { reads } = createMemory();
    reads.note("a", { amount: 1n });
    reads.note("a", { amount: 1n });
    expect(reads.find("a")).toEqual({ amount: 1n });
    reads.note("a", { amount: 2n });
    expect(reads.find("a")).toBeNull();
    reads.note("a", { amount: 3n });
    expect(reads.find("a")).toBeNull();
    reads.note("a", { amount: 3n });
    expect(reads.find("a")).toEqual({ amount: 3n });
  });

  test("is evicted by weight, the oldest first", () => {
    const { reads } = createMemory();
    reads.note("old", 1, 1_000);
    reads.note("new", 2, 1_000);
    reads.note("newest", 3);
    expect([reads.find("old"), reads.find("new"), reads.find("newest")]).toEqual([null, 2, 3]);
  });
});

const createBlock = (number: bigint) => ({ number, timestamp: 1_000n, hash: `0x${number}` }) as HeadBlock;

describe("the block that is probably the newest", () => {
  test("is the last seen block, until half of the block interval has passed", () => {
    const now = { ms: 0 };
    const heads = createSeenHeads({ now: () => now.ms });
    expect(heads.findLikely()).toBeNull();
    // One block per 200 ms.
    for (let number = 1n; number <= 40n; number++) {
      now.ms = Number(number) * 200;
      heads.note(createBlock(number));
    }
    now.ms += 99;
    expect(heads.findLikely()?.number).toBe(40n);
    now.ms += 2;
    expect(heads.findLikely()).toBeNull();
    // After another sighting, the block is still the newest.
    heads.note(createBlock(40n));
    expect(heads.findLikely()?.number).toBe(40n);
  });

  test("is null after the clock was set back", () => {
    const now = { ms: 0 };
    const heads = createSeenHeads({ now: () => now.ms });
    now.ms = 1_000;
    heads.note(createBlock(1n));
    now.ms = 0;
    expect(heads.findLikely()).toBeNull();
  });
});
