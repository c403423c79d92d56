import { SlipwayError } from "@slipway/protocol/errors";
import { findLaunchTier, type LaunchTier } from "@slipway/protocol/feeTiers";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { maxOpeningCap, type OpeningParams, predictOpening } from "@slipway/protocol/opening";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { Queryable } from "../../db/database.ts";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { findOpening, type OpeningRow } from "./queries.ts";
import { findDeployment, toParams } from "./toOpening.ts";

/** An indexed opening with its terms; addresses are checksummed, amounts in wei, the deadline in Unix seconds. */
export type OpeningTerms = {
  address: Hex;
  creator: Hex;
  params: OpeningParams;
  minimum: bigint;
  cap: bigint;
  deadline: bigint;
  deployment: LaunchDeployment;
  tier: LaunchTier;
};

/**
 * Loads an opening of one of the manifest's factories. Whether it has ended is for the chain to decide.
 *
 * @param address - In any case.
 * @throws SlipwayError `opening_not_indexed`.
 */
export async function loadOpening(db: Queryable, manifest: Manifest, address: string): Promise<OpeningTerms> {
  const row = await findOpening(db, address.toLowerCase());
  if (row === null) throw new SlipwayError("opening_not_indexed", undefined, { field: "address" });
  return toOpeningTerms(row, manifest);
}

/**
 * Converts a row. The address must follow from the terms: an RPC endpoint that invents an event could otherwise name a
 * contract of its own, to which the service would prepare deposits.
 *
 * @throws SlipwayError `opening_not_indexed` if the manifest does not name its factory or tier, or its factory cannot have
 *   created it.
 */
export function toOpeningTerms(row: OpeningRow, manifest: Manifest): OpeningTerms {
  const deployment = findDeployment(row, manifest);
  const tier = deployment && findLaunchTier(deployment, row.fee_bps);
  const terms = deployment && tier ? createTerms(row, deployment, tier) : null;
  if (terms === null || !isCreatedByFactory(terms)) {
    throw new SlipwayError("opening_not_indexed", undefined, { field: "address" });
  }
  return terms;
}

function createTerms(row: OpeningRow, deployment: LaunchDeployment, tier: LaunchTier): OpeningTerms {
  return {
    address: checksummed(row.address),
    creator: checksummed(row.creator),
    params: toParams(row),
    minimum: BigInt(row.minimum),
    cap: BigInt(row.cap),
    deadline: BigInt(row.deadline),
    deployment,
    tier,
  };
}

/** Whether the address of an opening is the one at which its factory creates an opening with these terms. */
function isCreatedByFactory({ address, creator, params, minimum, cap, deadline, deployment }: OpeningTerms): boolean {
  if (minimum > cap || cap > maxOpeningCap || deadline >= 2n ** 40n) return false;
  const contracts = {
    factory: deployment.opening_factory.address as Hex,
    implementation: deployment.opening_implementation.address as Hex,
  };
  const bounds = { minimum, cap, deadline: Number(deadline) };
  return isSameAddress(address, predictOpening(contracts, creator, params, bounds));
}

/**
 * Asserts that the deadline has not passed by the service's clock: the block of the simulation can be old.
 *
 * @param issueTime - From `getIssueTime`.
 * @throws SlipwayError `opening_expired`.
 */
export function requireBeforeDeadline({ deadline }: Pick<OpeningTerms, "deadline">, issueTime: bigint): void {
  if (issueTime <= deadline) return;
  throw new SlipwayError("opening_expired", undefined, {
    details: { deadline: deadline.toString(), time: issueTime.toString() },
  });
}
