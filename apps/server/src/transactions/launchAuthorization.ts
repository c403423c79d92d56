import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { type LaunchTypedData, launchForTypedData } from "@slipway/protocol/launchSignature";
import type { Manifest } from "@slipway/protocol/manifest";
import { type Hex, hashTypedData, hexToBigInt } from "viem";
import type { Chain } from "../chain/chain.ts";
import { assertNotBehind, type EndpointReads, readAtEndpoints } from "../chain/readAtEndpoints.ts";
import { getMulticall3, type HeadBlock, readContracts } from "../chain/readChain.ts";
import type { LaunchAuthorization, LaunchTerms } from "./launchTerms.ts";
import type { Call } from "./simulate.ts";
import { validitySeconds } from "./validity.ts";

/** An offer to the creator of a launch: its deadline, and the views of the factory that complete the typed data. */
export type OfferedAuthorization = { deadline: bigint; views: readonly [digest: Call, epoch: Call] };

/** The part of a launch's terms that its creator signs. */
export type SignedTerms = Pick<LaunchTerms, "creator" | "params" | "buy" | "value">;

/** Creates the offer of a launch to its creator. @param factory - The launch factory. @param deadline - Unix seconds. */
export function offerAuthorization(terms: SignedTerms, factory: Hex, deadline: bigint): OfferedAuthorization {
  const { creator, params, buy, value } = terms;
  const view = (data: Hex): Call => ({ from: creator, to: factory, data, value: 0n });
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
  terms: SignedTerms,
  { factory, chainId }: { factory: Hex; chainId: number },
  [digest, epoch]: readonly Hex[],
): LaunchTypedData {
  const launch = { ...terms, deadline, epoch: hexToBigInt(epoch!) };
  const typedData = launchForTypedData(launch, factory, chainId);
  if (hashTypedData(typedData as never) === digest!.toLowerCase()) return typedData;
  throw new SlipwayError("manifest_unverified", "The chain's factory verifies another digest than the pinned code.");
}

const createEpochRead = (factory: Hex, creator: Hex) =>
  ({ address: factory, abi: launchFactoryAbi, functionName: "epochOf", args: [creator] }) as const;

/** The creator's epoch at two endpoints. */
export type EpochReads = EndpointReads<{ result?: bigint }>;

/** Reads the creator's epoch from two endpoints, to compare it with the epoch to sign. */
export const readEpochs = async (
  chain: Pick<Chain, "rpc">,
  manifest: Manifest,
  factory: Hex,
  creator: Hex,
  block: HeadBlock,
): Promise<EpochReads> => await readAtEndpoints(chain, manifest, createEpochRead(factory, creator), block);

/**
 * Asserts that two endpoints return the epoch that the creator is asked to sign. A signature for a later epoch is not
 * valid yet, and the creator's next cancellation would make it valid.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export function assertEpochs(epochs: EpochReads, { message }: LaunchTypedData, block: HeadBlock): void {
  assertNotBehind(epochs, block);
  if ((epochs ?? []).every(({ read }) => read.result?.toString() === message.epoch)) return;
  throw new SlipwayError(
    "chain_unavailable",
    "The RPC endpoints return different epochs of the creator. Sign nothing; repeat the request.",
  );
}

/**
 * Asserts at the block that a signature is for the creator's current epoch.
 *
 * @throws SlipwayError `authorization_cancelled` for an earlier epoch, `signature_invalid` for a later one,
 *   `chain_unavailable`.
 */
export async function requireCurrentEpoch(
  chain: Pick<Chain, "client">,
  manifest: Manifest,
  factory: Hex,
  creator: Hex,
  signed: { epoch: bigint | null; field: string },
  block: HeadBlock,
): Promise<void> {
  if (signed.epoch === null) return;
  const read = createEpochRead(factory, creator);
  const [epoch] = await readContracts(chain, block.number, [read], getMulticall3(manifest));
  if (epoch === signed.epoch) return;
  const options = {
    field: signed.field,
    details: { epoch: signed.epoch.toString(), current_epoch: epoch.toString() },
  };
  if (epoch < signed.epoch) {
    const message =
      "The signature is for a later epoch of the creator: the creator's next cancellations make it valid. Cancel until " +
      "the epoch of the factory is above the signed epoch, then request new typed data to sign.";
    throw new SlipwayError("signature_invalid", message, options);
  }
  const message =
    "The creator has cancelled this signature; repeat the request without it to get new typed data to sign.";
  throw new SlipwayError("authorization_cancelled", message, options);
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
export function explainSignatureError(
  error: SlipwayError,
  covered = "draft, options, salt, deadline and epoch",
  field = "authorization.signature",
): SlipwayError {
  if (error.code !== "signature_invalid") return error;
  const message =
    `The signature is not the creator's signature of this launch: ${covered} must equal the values in the typed data, ` +
    "and the creator must not have cancelled it.";
  return new SlipwayError("signature_invalid", message, {
    field,
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}
