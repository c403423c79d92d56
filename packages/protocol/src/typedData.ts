import type { Hex } from "viem";
import { z } from "zod";
import { addressOut } from "./primitives.ts";
import { permitTypes } from "./signedTypes.ts";

/** The argument of `eth_signTypedData_v4` (EIP-712). ethers requires `types` without `EIP712Domain`. */
export const typedData = z.object({
  domain: z.object({ name: z.string(), version: z.string(), chainId: z.int(), verifyingContract: addressOut }),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.string()),
});

export type TypedData = z.infer<typeof typedData>;

/** An ECDSA signature over typed data: r, s, v; s in the lower half; v 27 or 28 (0 and 1 mean the same). */
export const signature = z.string().regex(/^0x[0-9a-fA-F]{130}$/, "must be 0x followed by 65 bytes in hex");

/** A permit for one amount and one spender; `nonce` is the owner's nonce at the token. */
export type PermitTerms = { owner: Hex; spender: Hex; value: bigint; nonce: bigint; deadline: bigint };

/** A token's EIP-712 domain from its manifest entry. */
export type PermitDomain = { name: string; version: string };

/** Creates the EIP-712 typed data of an ERC-2612 permit. */
export function permitTypedData(terms: PermitTerms, token: Hex, domain: PermitDomain, chainId: number): TypedData {
  return {
    domain: { ...domain, chainId, verifyingContract: token },
    types: permitTypes,
    primaryType: "Permit",
    message: {
      owner: terms.owner,
      spender: terms.spender,
      value: terms.value.toString(),
      nonce: terms.nonce.toString(),
      deadline: terms.deadline.toString(),
    },
  };
}
