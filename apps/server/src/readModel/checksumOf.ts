import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";

// A list of 300 tokens shows more than a thousand addresses, most of them those of the list before.
const remembered = new LRUCache<string, string>({ max: 50_000 });

/**
 * The EIP-55 form of a lower-case address, by OpenSSL's Keccak: a page of trades names hundreds of wallets that nobody
 * asked for before, and hashing in JavaScript would cost ten times as much as all else of it.
 */
export function checksumOf(address: string): string {
  let result = remembered.get(address);
  if (result === undefined) {
    result = withChecksum(address);
    remembered.set(address, result);
  }
  return result;
}

function withChecksum(address: string): string {
  const digits = address.slice(2);
  const hashed = hash("keccak-256", digits);
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i]!;
    text += digit > "9" && hashed[i]! > "7" ? digit.toUpperCase() : digit;
  }
  return text;
}
