import type { RawLog } from "@slipway/protocol/rawLog";
import { keccak256 } from "viem";
import { expect, test } from "vitest";
import { hex } from "../../../../../tests/support/server/fakeRpc.ts";
import { createAddressIndex, createBloom, mayHold } from "./bloom.ts";

const topic = hex(1, 64);
const address = (n: number) => keccak256(hex(n, 8) as `0x${string}`).slice(0, 42);
const createLog = (n: number) => ({ address: address(n), topics: [topic] }) as unknown as RawLog;

/** Computes the three bloom bits of an item (yellow paper) with another library. */
function toBits(item: string): number[] {
  const hashed = keccak256(item as `0x${string}`);
  return [2, 6, 10].map((at) => Number.parseInt(hashed.slice(at, at + 4), 16) & 2047);
}

test("a bloom has the bits that the yellow paper defines", () => {
  const bits = new Set([...toBits(address(1)), ...toBits(topic)]);
  const bloom = createBloom([createLog(1)]);
  for (let bit = 0; bit < 2048; bit++) {
    expect((bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0).toBe(bits.has(bit));
  }
});

test("an address index matches the same blooms as a test of each address", () => {
  const index = createAddressIndex();
  const known = Array.from({ length: 3_000 }, (_, n) => toBits(address(n)));
  for (let n = 0; n < known.length; n++) index.add(address(n));
  let foreign = 0;
  for (let n = 0; n < 6_000; n += 7) {
    const bloom = createBloom([createLog(n)]);
    const has = (bit: number) => (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
    const expected = known.some((bits) => bits.every(has));
    expect(mayHold(bloom, index, [topic])).toBe(expected);
    expect(mayHold(bloom, index, [hex(2, 64)])).toBe(false);
    const matches: string[] = [];
    index.some(bloom, (match) => matches.push(match) === 0);
    const matching = known.flatMap((bits, i) => (bits.every(has) ? [address(i)] : []));
    expect(matches.toSorted()).toEqual(matching.toSorted());
    if (!expected) foreign++;
  }
  expect(foreign).toBeGreaterThan(300);
});
