import { SlipwayError } from "@slipway/protocol/errors";
import { findLaunchTier, type LaunchTier } from "@slipway/protocol/feeTiers";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import type { OpeningParams } from "@slipway/protocol/opening";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { Queryable } from "../../db/database.ts";
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

/** Converts a row. @throws SlipwayError `opening_not_indexed` if the manifest does not name its factory or tier. */
export function toOpeningTerms(row: OpeningRow, manifest: Manifest): OpeningTerms {
  const deployment = findDeployment(row, manifest);
  const tier = deployment && findLaunchTier(deployment, row.fee_bps);
  if (!deployment || !tier) throw new SlipwayError("opening_not_indexed", undefined, { field: "address" });
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
