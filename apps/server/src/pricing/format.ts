import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** A number that JSON can express, or null: what is not finite is unknown. */
export function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Dollars from millionths of a dollar as decimal text of the database; null stays null. */
export function toDollars(micros: string | null): number | null {
  return micros === null ? null : Number(micros) / 1e6;
}

/** Unix seconds as RFC 3339 in UTC. */
export function toIsoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}

// A list of 300 tokens shows more than a thousand addresses, most of them those of the list before.
const checksumAddresses = new LRUCache<string, string>({ max: 50_000 });

/**
 * The EIP-55 form of a lower-case address, by OpenSSL's Keccak: a page of trades names hundreds of wallets that no
 * request named before, and hashing in JavaScript would cost ten times as much as the rest of the page.
 */
export function toChecksumAddress(address: string): string {
  let result = checksumAddresses.get(address);
  if (result === undefined) {
    result = computeChecksumAddress(address);
    checksumAddresses.set(address, result);
  }
  return result;
}

function computeChecksumAddress(address: string): string {
  const digits = address.slice(2);
  const hashed = hash("keccak-256", digits);
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i]!;
    text += digit > "9" && hashed[i]! > "7" ? digit.toUpperCase() : digit;
  }
  return text;
}
