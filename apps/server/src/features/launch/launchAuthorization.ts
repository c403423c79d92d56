import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { authorizationValiditySeconds } from "@slipway/protocol/launchCalls";
import { type LaunchTypedData, launchForTypedData } from "@slipway/protocol/launchSignature";
import type { Manifest } from "@slipway/protocol/manifest";
import { type Hex, hashTypedData } from "viem";
import type { Head } from "../../chain/readChain.ts";
import type { Call } from "../../transactions/simulate.ts";
import { validitySeconds } from "../../transactions/unsignedResult.ts";
import type { LaunchAuthorization, LaunchTerms } from "./launchTerms.ts";

/** What a creator signs, and the view of the factory that names its digest. */
export type OfferedAuthorization = { typedData: LaunchTypedData; digestRead: Call };

/** Creates what the creator signs. Valid for a day of block time. */
export function offerAuthorization(terms: LaunchTerms, manifest: Manifest, head: Head): OfferedAuthorization {
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
 * Asserts that the factory verifies exactly what the creator is given to sign.
 *
 * @param returned - The data that `digestRead` returned.
 * @throws SlipwayError `manifest_unverified`.
 */
export function assertSignedDigest({ typedData }: OfferedAuthorization, returned: Hex): void {
  if (hashTypedData(typedData as never) === returned.toLowerCase()) return;
  throw new SlipwayError("manifest_unverified", "The chain's factory verifies another signature than the pinned one.");
}

/**
 * Asserts what can be checked of an authorization without the chain: that it lasts as long as the answer. Whether it is the
 * creator's, the simulation shows: its key's, or what its code accepts.
 *
 * @throws SlipwayError `quote_expired`.
 */
export function requireLastingAuthorization({ deadline }: LaunchAuthorization, head: Head): void {
  if (deadline >= head.timestamp + validitySeconds) return;
  throw new SlipwayError("quote_expired", "The authorization has expired; ask again without it for another to sign.", {
    field: "authorization.deadline",
    details: { deadline: deadline.toString(), block_timestamp: head.timestamp.toString() },
  });
}
