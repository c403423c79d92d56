import { describe, expect, test } from "vitest";
import { createSeenReads } from "./lastSeen.ts";

function createMemory() {
  const now = { ms: 1 };
  return { now, reads: createSeenReads({ now: () => now.ms }) };
}

describe("what requests read last", () => {
  test("is found by its key for a minute", () => {
    const { now, reads } = createMemory();
    expect(reads.find("a")).toBeNull();
    reads.note("a", { amount: 1n });
    expect(reads.find("a")).toEqual({ amount: 1n });
    expect(reads.find("b")).toBeNull();
    now.ms = 60_002;
    expect(reads.find("a")).toBeNull();
  });

  test("is not found after it changed, until it was read twice alike", () => {
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

  test("is forgotten by weight, the oldest first", () => {
    const { reads } = createMemory();
    reads.note("old", 1, 1_000);
    reads.note("new", 2, 1_000);
    reads.note("newest", 3);
    expect([reads.find("old"), reads.find("new"), reads.find("newest")]).toEqual([null, 2, 3]);
  });
});
