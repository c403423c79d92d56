import { SlipwayError } from "@slipway/protocol/errors";
import type { TypedData } from "@slipway/protocol/typedData";
import {
  concat,
  type Hex,
  hashTypedData,
  hexToBigInt,
  hexToNumber,
  numberToHex,
  recoverAddress,
  size,
  slice,
} from "viem";

/** Half the order of secp256k1. Like the gas station, this accepts only signatures with a low s (SEC 1, EIP-2). */
const maxS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The parts of a signature as contract arguments; `v` is 27 or 28. */
export type WalletSignature = { r: Hex; s: Hex; v: number; bytes: Hex };

/**
 * Parses and verifies a wallet's signature over typed data: 65 bytes r, s, v with a low s, by the wallet's key. A `v`
 * of 0 or 1 means 27 or 28. Contract wallets have no key and cannot sign.
 *
 * @param field - The field of the body, for the error.
 * @throws SlipwayError `signature_invalid`.
 */
export async function parseWalletSignature(
  signature: string,
  typed: TypedData,
  wallet: Hex,
  field: "signature" | "permit_signature" | "permit.signature" | "payment.payload.signature",
): Promise<WalletSignature> {
  const bytes = signature as Hex;
  if (size(bytes) !== 65) throw createInvalid(field, "The signature must have 65 bytes.");
  const [r, s] = [slice(bytes, 0, 32), slice(bytes, 32, 64)];
  const last = hexToNumber(slice(bytes, 64));
  const v = last < 2 ? last + 27 : last;
  if (v !== 27 && v !== 28) throw createInvalid(field, "The signature's v must be 27 or 28.");
  if (hexToBigInt(s) > maxS) throw createInvalid(field, "The signature's s must be in the lower half.");
  const normalized = concat([r, s, numberToHex(v, { size: 1 })]);
  const signer = await recoverAddress({ hash: hashTypedData(typed as never), signature: normalized }).catch(() => null);
  if (signer?.toLowerCase() !== wallet.toLowerCase()) {
    throw createInvalid(field, "The signature is not the wallet's signature over the typed data.");
  }
  return { r, s, v, bytes: normalized };
}

function createInvalid(field: string, message: string): SlipwayError {
  return new SlipwayError("signature_invalid", message, { field });
}
