import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Allocation } from "@slipway/protocol/splitter";
import type { Hex } from "viem";
import type { Head } from "../../chain/readChain.ts";
import { findSplitterCreation, verifySplitterDeployment } from "../../chain/verifySplitterDeployment.ts";
import type { Queryable } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";

/** The index's verification of a splitter: proven with these allocations, disproved, or not verified yet (null). */
type IndexedSplitter = { proven: boolean | null; allocations: Allocation[] };

/** Finds the index's verification of a splitter; allocations in their order, empty unless it is proven. */
async function findSplitter(db: Queryable, splitter: string): Promise<IndexedSplitter> {
  const { rows } = await db.query<{ proven: boolean | null; payee: string | null; share_bps: number | null }>(
    `select s.proven, p.payee, p.share_bps
     from chain.splitters s left join chain.splitter_payees p on p.splitter = s.address and s.proven
     where s.address = $1 order by p.position`,
    [splitter.toLowerCase()],
  );
  const allocations = rows.flatMap(({ payee, share_bps }) =>
    payee === null || share_bps === null ? [] : [{ payee: checksummed(payee), shareBps: share_bps }],
  );
  return { proven: rows[0]?.proven ?? null, allocations };
}

/**
 * Loads the payees of a launch's splitter: from the index where it has verified the splitter, else verified on the chain
 * in two round trips.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another contract, `chain_unavailable`.
 */
export async function loadSplitterAllocations(
  deps: Pick<Deps, "chain" | "db">,
  splitter: Hex,
  deployment: LaunchDeployment,
  head: Head,
): Promise<Allocation[]> {
  const { proven, allocations } = await findSplitter(deps.db.read, splitter);
  if (proven === true && allocations.length > 0) return allocations;
  if (proven === false) {
    throw new SlipwayError("splitter_mismatch", "This launch pays a contract that is not a proven splitter.");
  }
  const creation = await findSplitterCreation(deps.chain, splitter, deployment, head);
  return await verifySplitterDeployment(deps.chain, splitter, creation, deployment);
}
