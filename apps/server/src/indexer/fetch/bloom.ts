import { hash } from "node:crypto";
import type { RawLog } from "@slipway/protocol/rawLog";
import { LRUCache } from "lru-cache";

/** The three bits that an address or topic sets in a 2048-bit logs bloom (yellow paper, 4.3.1). */
type Bits = readonly [number, number, number];

const cache = new LRUCache<string, Bits>({ max: 100_000 });

function getBits(item: string): Bits {
  const known = cache.get(item);
  if (known) return known;
  const hashed = hash("keccak-256", Buffer.from(item.slice(2), "hex"), "buffer");
  const bit = (i: number) => hashed.readUInt16BE(i * 2) & 2047;
  const bits: Bits = [bit(0), bit(1), bit(2)];
  cache.set(item, bits);
  return bits;
}

/** A logs bloom as 256 bytes. */
export type Bloom = Uint8Array;

/** Parses the 256 bytes of a hex text. */
export function readBloom(hex: string): Bloom {
  return Uint8Array.fromHex(hex.slice(2));
}

function isSet(bloom: Bloom, bit: number): boolean {
  return (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
}

function has(bloom: Bloom, bits: Bits): boolean {
  return isSet(bloom, bits[0]) && isSet(bloom, bits[1]) && isSet(bloom, bits[2]);
}

/** Addresses by their first bit: only those whose first bit a bloom has are tested, however many there are. */
export type AddressIndex = { add(address: string): void; mayMatch(bloom: Bloom): boolean };

export function createAddressIndex(): AddressIndex {
  const byFirstBit = new Map<number, Bits[]>();
  return {
    add: (address) => {
      const bits = getBits(address);
      const sameBit = byFirstBit.get(bits[0]);
      if (sameBit === undefined) byFirstBit.set(bits[0], [bits]);
      else sameBit.push(bits);
    },
    mayMatch: (bloom) => {
      for (let bit = 0; bit < 2048; bit++) {
        if (!isSet(bloom, bit)) continue;
        for (const bits of byFirstBit.get(bit) ?? []) if (has(bloom, bits)) return true;
      }
      return false;
    },
  };
}

/** Whether a block with this bloom may hold a log of one of the addresses with one of the topics. */
export function mayHold(bloom: Bloom, addresses: AddressIndex, topics: readonly string[]): boolean {
  return topics.some((topic) => has(bloom, getBits(topic))) && addresses.mayMatch(bloom);
}

/** Computes the bloom of a list of logs. */
export function createBloom(logs: readonly RawLog[]): Bloom {
  const bloom = new Uint8Array(256);
  const add = (item: string) => {
    for (const bit of getBits(item)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
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
