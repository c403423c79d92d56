import { SlipwayError } from "@slipway/protocol/errors";
import type { GasTypedData } from "@slipway/protocol/gas";
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

/** Half the order of secp256k1: of a signature's two forms only the lower is taken, as by the station (SEC 1, EIP-2). */
const largestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The parts of a signature as contracts take them; `v` is 27 or 28. */
export type WalletSignature = { r: Hex; s: Hex; v: number; bytes: Hex };

/**
 * Reads a wallet's signature over typed data: 65 bytes r, s, v with a low s, by the wallet's own key. A `v` of 0 or 1
 * is taken for 27 or 28. A contract wallet has no key and cannot sign.
 *
 * @param field - The body's field, for the error.
 * @throws SlipwayError `signature_invalid`.
 */
export async function parseWalletSignature(
  signature: string,
  typed: GasTypedData,
  wallet: Hex,
  field: "signature" | "permit_signature",
): Promise<WalletSignature> {
  const bytes = signature as Hex;
  if (size(bytes) !== 65) throw invalid(field, "The signature must have 65 bytes.");
  const [r, s] = [slice(bytes, 0, 32), slice(bytes, 32, 64)];
  const last = hexToNumber(slice(bytes, 64));
  const v = last < 2 ? last + 27 : last;
  if (v !== 27 && v !== 28) throw invalid(field, "The signature's v must be 27 or 28.");
  if (hexToBigInt(s) > largestS) throw invalid(field, "The signature's s must be in the lower half.");
  const normal = concat([r, s, numberToHex(v, { size: 1 })]);
  const signer = await recoverAddress({ hash: hashTypedData(typed as never), signature: normal }).catch(() => null);
  if (signer?.toLowerCase() !== wallet.toLowerCase()) {
    throw invalid(field, "The signature is not the wallet's own over the quote's typed data.");
  }
  return { r, s, v, bytes: normal };
}

function invalid(field: string, message: string): SlipwayError {
  return new SlipwayError("signature_invalid", message, { field });
}
