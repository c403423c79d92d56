import { checksummed } from "./primitives.ts";

/** Result of the EIP-55 check of an address. */
export type AddressChecksum =
  | {
      /** `valid`: the checksum is correct. `absent`: all letters have the same case, so there is no checksum. */
      status: "valid" | "absent";
    }
  | {
      /** Mixed case with a wrong checksum: a digit was mistyped, or the case of a letter was changed. */
      status: "wrong";
      /** The same 20 bytes with the correct checksum. Never substitute it silently: a digit may be wrong. */
      checksummed: `0x${string}`;
    };

/**
 * Checks the EIP-55 checksum of an address that has the form of EvmAddress.
 *
 * @throws When the address does not have that form.
 *
 * @example
 * checkAddressChecksum("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"); // { status: "valid" }
 */
export function checkAddressChecksum(address: string): AddressChecksum {
  const expected = checksummed(address);
  if (address === expected) return { status: "valid" };
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return { status: "absent" };
  return { status: "wrong", checksummed: expected };
}
