import type { RawLog } from "@slipway/protocol/rawLog";
import { LRUCache } from "lru-cache";
import { keccak256 } from "viem/utils";

/** The three bits that an address or topic sets in a 2048-bit logs bloom (yellow paper, 4.3.1). */
type Bits = readonly [number, number, number];

const cache = new LRUCache<string, Bits>({ max: 100_000 });

function bitsOf(item: string): Bits {
  const known = cache.get(item);
  if (known) return known;
  const hash = keccak256(item as `0x${string}`);
  const bit = (i: number) => Number.parseInt(hash.slice(2 + i * 4, 6 + i * 4), 16) & 2047;
  const bits: Bits = [bit(0), bit(1), bit(2)];
  cache.set(item, bits);
  return bits;
}

/** A logs bloom as 256 bytes. */
export type Bloom = Uint8Array;

export function readBloom(hex: string): Bloom {
  return Uint8Array.fromHex(hex.slice(2));
}

function has(bloom: Bloom, bits: Bits): boolean {
  for (const bit of bits) {
    if ((bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Whether a block with this bloom can hold a log of one of the addresses with one of the topics. */
export function mayHold(bloom: Bloom, addresses: Iterable<string>, topics: readonly string[]): boolean {
  if (!topics.some((topic) => has(bloom, bitsOf(topic)))) return false;
  for (const address of addresses) {
    if (has(bloom, bitsOf(address))) return true;
  }
  return false;
}

/** The bloom of a list of logs. */
export function bloomOf(logs: readonly RawLog[]): Bloom {
  const bloom = new Uint8Array(256);
  const add = (item: string) => {
    for (const bit of bitsOf(item)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  };
  for (const log of logs) {
    add(log.address);
    for (const topic of log.topics) add(topic);
  }
  return bloom;
}

export function isZeroBloom(bloom: Bloom): boolean {
  return bloom.every((byte) => byte === 0);
}

export function equalBlooms(a: Bloom, b: Bloom): boolean {
  return Buffer.compare(a, b) === 0;
}
