import { checksummed } from "@slipway/protocol/primitives";
import { LRUCache } from "lru-cache";

// A checksum is a hash of about ten microseconds; a list of 300 tokens shows more than a thousand addresses.
const remembered = new LRUCache<string, string>({ max: 50_000 });

/** The EIP-55 form of a lower-case address; those asked for lately are remembered. */
export function checksumOf(address: string): string {
  let result = remembered.get(address);
  if (result === undefined) {
    result = checksummed(address);
    remembered.set(address, result);
  }
  return result;
}
