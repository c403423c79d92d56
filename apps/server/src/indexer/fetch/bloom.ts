import { hash } from "node:crypto";
import type { RawLog } from "@slipway/protocol/rawLog";

const bloomBits = 2048;

/** The three bits that an address or topic sets in a 2048-bit logs bloom (yellow paper, 4.3.1). */
type Bits = readonly [number, number, number];

/** The cache is emptied when it is full: the next blocks fill it again. */
const maxCachedBits = 100_000;
const cache = new Map<string, Bits>();

function getBits(item: string): Bits {
  const cached = cache.get(item);
  if (cached !== undefined) return cached;
  const hashed = hash("keccak-256", Buffer.from(item.slice(2), "hex"), "buffer");
  const bit = (i: number) => hashed.readUInt16BE(i * 2) & 2047;
  const bits: Bits = [bit(0), bit(1), bit(2)];
  if (cache.size >= maxCachedBits) cache.clear();
  cache.set(item, bits);
  return bits;
}

/** A logs bloom as 256 bytes. */
export type Bloom = Uint8Array;

/** Parses a bloom from hex text with the prefix 0x. */
export function readBloom(hex: string): Bloom {
  return Uint8Array.fromHex(hex.slice(2));
}

function isSet(bloom: Bloom, bit: number): boolean {
  return (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
}

function has(bloom: Bloom, bits: Bits): boolean {
  return isSet(bloom, bits[0]) && isSet(bloom, bits[1]) && isSet(bloom, bits[2]);
}

/** Addresses by their first bit. Tests only addresses whose first bit is set in the bloom. */
export type AddressIndex = {
  add(address: string): void;
  mayMatch(bloom: Bloom): boolean;
  /** Whether the predicate is true for an address that may have logs in a block with this bloom. */
  some(bloom: Bloom, predicate: (address: string) => boolean): boolean;
};

export function createAddressIndex(): AddressIndex {
  const byFirstBit = new Array<{ address: string; bits: Bits }[] | undefined>(bloomBits);
  const some: AddressIndex["some"] = (bloom, predicate) => {
    for (let at = 0; at < 256; at++) {
      for (let rest = bloom[at]!; rest !== 0; rest &= rest - 1) {
        const bit = (255 - at) * 8 + 31 - Math.clz32(rest & -rest);
        const sameBit = byFirstBit[bit];
        if (sameBit === undefined) continue;
        for (const { address, bits } of sameBit) if (has(bloom, bits) && predicate(address)) return true;
      }
    }
    return false;
  };
  return {
    add: (address) => {
      const bits = getBits(address);
      const sameBit = byFirstBit[bits[0]];
      if (sameBit === undefined) byFirstBit[bits[0]] = [{ address, bits }];
      else sameBit.push({ address, bits });
    },
    mayMatch: (bloom) => some(bloom, () => true),
    some,
  };
}

/** Whether a block with this bloom may contain a log with this address or topic. */
export function mayHoldItem(bloom: Bloom, item: string): boolean {
  return has(bloom, getBits(item));
}

/** Whether a block with this bloom may contain a log of one of the addresses with one of the topics. */
export function mayHold(bloom: Bloom, addresses: AddressIndex, topics: readonly string[]): boolean {
  return topics.some((topic) => mayHoldItem(bloom, topic)) && addresses.mayMatch(bloom);
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

/**
 * Whether no bit or all bits of a bloom are set. Such a bloom carries no information: nodes and chains without blooms
 * send such blooms. A block without logs also has no bit set, and any account can set all bits of a block.
 */
export function isEmptyOrFull(bloom: Bloom): boolean {
  return bloom.every((byte) => byte === 0) || bloom.every((byte) => byte === 255);
}

/** Counts the set bits. More set bits mean more matches by chance. */
export function countBits(bloom: Bloom): number {
  let count = 0;
  for (let byte of bloom) for (; byte !== 0; byte &= byte - 1) count++;
  return count;
}

export function equalBlooms(a: Bloom, b: Bloom): boolean {
  return Buffer.compare(a, b) === 0;
}
