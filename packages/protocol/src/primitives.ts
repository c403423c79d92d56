import { getAddress } from "viem/utils";
import { z } from "zod";

/** The zero address, which the spec's EvmAddress excludes. */
const zeroAddressPattern = /^0x0{40}$/;

/**
 * An address in a request: any case, 20 bytes, not zero. Callers checksum it with `checksummed`.
 * Source: the spec's EvmAddress.
 */
export const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be 0x followed by 40 hex digits")
  .refine((value) => !zeroAddressPattern.test(value), "must not be the zero address");

/** An address on the wire: EIP-55 checksummed. */
export const addressOut = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** 32 bytes of hex. */
export const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x followed by 64 hex digits");

/** A base-unit amount on the wire: decimal digits. */
export const amountOut = z.string().regex(/^[0-9]+$/);

const maxUint256 = 2n ** 256n - 1n;

/**
 * Decimal digits of an amount, with leading zeros. A uint256 has at most 78; the limit bounds the cost of a conversion.
 */
const amountDigits = /^[0-9]{1,1000}$/;

/** Whether a text is a decimal amount up to a maximum in base units. */
export const isAmountUpTo = (text: string, maximum: bigint): boolean =>
  amountDigits.test(text) && BigInt(text) <= maximum;

/** A positive uint256 as decimal digits, the spec's `amount_in`. */
export const positiveUint256 = z
  .string()
  .regex(amountDigits, "must be decimal digits")
  .refine((value) => isAmountUpTo(value, maxUint256) && BigInt(value) > 0n, "must be between 1 and 2^256 - 1");

/** RFC 3339 UTC time. */
export const dateTime = z.iso.datetime();

/** Converts an address in any case to its EIP-55 form. */
export function checksummed(address: string): `0x${string}` {
  return getAddress(address.toLowerCase() as `0x${string}`);
}
