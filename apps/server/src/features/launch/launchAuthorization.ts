import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { authorizationValiditySeconds } from "@slipway/protocol/launchCalls";
import { type LaunchTypedData, launchForTypedData } from "@slipway/protocol/launchSignature";
import type { Manifest } from "@slipway/protocol/manifest";
import { type Hex, hashTypedData, hexToBigInt } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { getMulticall3, type HeadBlock, readContracts } from "../../chain/readChain.ts";
import type { Call } from "../../transactions/simulate.ts";
import { validitySeconds } from "../../transactions/validity.ts";
import type { LaunchAuthorization, LaunchTerms } from "./launchTerms.ts";

/** An offer to the creator of a launch: its deadline, and the views of the factory that complete the typed data. */
export type OfferedAuthorization = { deadline: bigint; views: readonly [digest: Call, epoch: Call] };

/** Creates the offer of a launch to its creator. @param issueTime - From `getIssueTime`. */
export function offerAuthorization(terms: LaunchTerms, manifest: Manifest, issueTime: bigint): OfferedAuthorization {
  const { creator, params, buy, value } = terms;
  const deadline = issueTime + authorizationValiditySeconds;
  const view = (data: Hex): Call => ({ from: creator, to: getFactory(manifest), data, value: 0n });
  const digestArgs = [creator, params, buy, value, deadline] as const;
  return {
    deadline,
    views: [
      view(encodeCall({ abi: launchFactoryAbi, functionName: "digestOf", args: digestArgs })),
      view(encodeCall({ abi: launchFactoryAbi, functionName: "epochOf", args: [creator] })),
    ],
  };
}

/**
 * Creates the typed data for the creator to sign, and asserts that the factory verifies exactly these data.
 *
 * @param returned - The data that the offer's `views` returned.
 * @throws SlipwayError `manifest_unverified`.
 */
export function createTypedData(
  { deadline }: OfferedAuthorization,
  terms: LaunchTerms,
  manifest: Manifest,
  [digest, epoch]: readonly Hex[],
): LaunchTypedData {
  const launch = { ...terms, deadline, epoch: hexToBigInt(epoch!) };
  const typedData = launchForTypedData(launch, getFactory(manifest), manifest.chain_id);
  if (hashTypedData(typedData as never) === digest!.toLowerCase()) return typedData;
  throw new SlipwayError("manifest_unverified", "The chain's factory verifies another digest than the pinned code.");
}

const getFactory = (manifest: Manifest) => manifest.current.launch_factory.address as Hex;

/**
 * Asserts at the block that the creator has not cancelled an authorization that names its epoch.
 *
 * @throws SlipwayError `authorization_cancelled`, `chain_unavailable`.
 */
export async function requireCurrentEpoch(
  chain: Pick<Chain, "client">,
  manifest: Manifest,
  { creator }: LaunchTerms,
  authorization: LaunchAuthorization | null,
  block: HeadBlock,
): Promise<void> {
  const signed = authorization?.epoch ?? null;
  if (signed === null) return;
  const read = {
    address: getFactory(manifest),
    abi: launchFactoryAbi,
    functionName: "epochOf",
    args: [creator],
  } as const;
  const [epoch] = await readContracts(chain, block.number, [read], getMulticall3(manifest));
  if (epoch === signed) return;
  const message =
    "The creator has cancelled this signature; repeat the request without it to get new typed data to sign.";
  throw new SlipwayError("authorization_cancelled", message, {
    field: "authorization.epoch",
    details: { epoch: signed.toString(), current_epoch: epoch.toString() },
  });
}

/**
 * Asserts that an authorization is valid for as long as the response. The simulation verifies the signature, by the
 * creator's key or by the code of the creator's account.
 *
 * @param issueTime - From `getIssueTime`.
 * @throws SlipwayError `quote_expired`.
 */
export function requireLastingAuthorization({ deadline }: LaunchAuthorization, issueTime: bigint): void {
  if (deadline >= issueTime + validitySeconds) return;
  throw new SlipwayError(
    "quote_expired",
    "The authorization has expired; repeat the request without it to get new typed data to sign.",
    {
      field: "authorization.deadline",
      details: { deadline: deadline.toString(), time: issueTime.toString() },
    },
  );
}

/** Adds to a `signature_invalid` error which values the signature must cover. Returns any other error unchanged. */
export function explainSignatureError(error: SlipwayError): SlipwayError {
  if (error.code !== "signature_invalid") return error;
  const message =
    "The signature is not the creator's signature of this launch: draft, options, salt, deadline and epoch must " +
    "equal the values in the typed data, and the creator must not have cancelled it.";
  return new SlipwayError("signature_invalid", message, {
    field: "authorization.signature",
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}
