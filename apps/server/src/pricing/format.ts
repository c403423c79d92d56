import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** Returns a finite number, or null for a number that JSON cannot express. */
export function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Converts millionths of a dollar, as decimal text, to dollars; null stays null. */
export function toDollars(micros: string | null): number | null {
  return micros === null ? null : Number(micros) / 1e6;
}

/** Formats Unix seconds as RFC 3339 in UTC. */
export function toIsoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}

// A list of 300 tokens shows more than a thousand addresses, most of them already in the previous list.
const checksumAddresses = new LRUCache<string, string>({ max: 50_000 });

/**
 * Returns the EIP-55 form of a lower-case address. Uses OpenSSL's Keccak, because a page of trades contains hundreds of
 * uncached wallets, and hashing in JavaScript would take ten times as long as the rest of the page.
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
