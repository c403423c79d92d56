import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { authorizationValiditySeconds } from "@slipway/protocol/launchCalls";
import { type LaunchTypedData, launchForTypedData } from "@slipway/protocol/launchSignature";
import type { Manifest } from "@slipway/protocol/manifest";
import { type Hex, hashTypedData } from "viem";
import type { HeadBlock } from "../../chain/readChain.ts";
import type { Call } from "../../transactions/simulate.ts";
import { validitySeconds } from "../../transactions/validity.ts";
import type { LaunchAuthorization, LaunchTerms } from "./launchTerms.ts";

/** The typed data that a creator signs, and the view of the factory that returns its digest. */
export type OfferedAuthorization = { typedData: LaunchTypedData; digestRead: Call };

/** Creates the typed data for the creator to sign. Valid for a day of block time. */
export function offerAuthorization(terms: LaunchTerms, manifest: Manifest, head: HeadBlock): OfferedAuthorization {
  const { creator, params, buy, value } = terms;
  const deadline = head.timestamp + authorizationValiditySeconds;
  const factory = manifest.current.launch_factory.address as Hex;
  const data = encodeCall({
    abi: launchFactoryAbi,
    functionName: "digestOf",
    args: [creator, params, buy, value, deadline],
  });
  return {
    typedData: launchForTypedData({ ...terms, deadline }, factory, manifest.chain_id),
    digestRead: { from: creator, to: factory, data, value: 0n },
  };
}

/**
 * Asserts that the factory verifies exactly the typed data.
 *
 * @param returned - The data that `digestRead` returned.
 * @throws SlipwayError `manifest_unverified`.
 */
export function assertSignedDigest({ typedData }: OfferedAuthorization, returned: Hex): void {
  if (hashTypedData(typedData as never) === returned.toLowerCase()) return;
  throw new SlipwayError("manifest_unverified", "The chain's factory verifies another digest than the pinned code.");
}

/**
 * Asserts that an authorization is valid for as long as the response. The simulation verifies the signature, by the
 * creator's key or by the code of the creator's account.
 *
 * @throws SlipwayError `quote_expired`.
 */
export function requireLastingAuthorization({ deadline }: LaunchAuthorization, head: HeadBlock): void {
  if (deadline >= head.timestamp + validitySeconds) return;
  throw new SlipwayError(
    "quote_expired",
    "The authorization has expired; repeat the request without it to get new typed data to sign.",
    {
      field: "authorization.deadline",
      details: { deadline: deadline.toString(), block_timestamp: head.timestamp.toString() },
    },
  );
}

/** Adds to a `signature_invalid` error which values the signature must cover. Returns any other error unchanged. */
export function explainSignatureError(error: SlipwayError): SlipwayError {
  if (error.code !== "signature_invalid") return error;
  const message =
    "The signature is not the creator's signature of this launch: draft, options, splitter, salt and deadline must " +
    "equal the values in the typed data.";
  return new SlipwayError("signature_invalid", message, {
    field: "authorization.signature",
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}
