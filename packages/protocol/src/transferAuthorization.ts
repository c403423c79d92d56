import type { Hex } from "viem";
import { transferAuthorizationTypes } from "./signedTypes.ts";
import type { PermitDomain, TypedData } from "./typedData.ts";

/** A transfer that the payer signs and any account can send (EIP-3009). `value` in base units, times in Unix seconds. */
export type TransferAuthorization = {
  from: Hex;
  to: Hex;
  value: bigint;
  /** The authorization is valid in blocks with a later time than this. */
  validAfter: bigint;
  /** The authorization is valid in blocks with an earlier time than this. */
  validBefore: bigint;
  /** 32 random bytes, which a payer uses once. */
  nonce: Hex;
};

/** Creates the EIP-712 typed data of a transfer authorization. Source: EIP-3009. */
export function transferAuthorizationTypedData(
  authorization: TransferAuthorization,
  token: Hex,
  domain: PermitDomain,
  chainId: number,
): TypedData {
  return {
    domain: { name: domain.name, version: domain.version, chainId, verifyingContract: token },
    types: transferAuthorizationTypes,
    primaryType: "TransferWithAuthorization",
    message: {
      from: authorization.from,
      to: authorization.to,
      value: authorization.value.toString(),
      validAfter: authorization.validAfter.toString(),
      validBefore: authorization.validBefore.toString(),
      nonce: authorization.nonce,
    },
  };
}
