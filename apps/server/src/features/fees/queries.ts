import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Allocation } from "@slipway/protocol/splitter";
import type { Hex } from "viem";
import type { Head } from "../../chain/readChain.ts";
import { findSplitterTraces, verifySplitterDeployment } from "../../chain/verifySplitterDeployment.ts";
import type { Queryable } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import type { Label } from "../../transactions/queries.ts";

/** What the index knows of a splitter's birth: proven with these allocations, disproved, or not judged yet (null). */
export type IndexedSplitter = { proven: boolean | null; allocations: Allocation[] };

/** The index's verdict on a splitter; its allocations in their order, none unless proven. */
export async function findSplitter(db: Queryable, splitter: string): Promise<IndexedSplitter> {
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

/** The recipients of the draft that a token was launched from, with their labels; none when it was launched elsewhere. */
export async function findDraftRecipients(db: Queryable, token: string): Promise<Label[]> {
  const { rows } = await db.query<{ labels: Label[] | null }>(
    `select app.labels_of(i.intent) as labels
     from app.launches_prepared p join app.intents i on i.id = p.intent_id where p.token = $1`,
    [token.toLowerCase()],
  );
  return rows[0]?.labels ?? [];
}

/**
 * Who a launch's splitter pays: by the index where it has judged the splitter's birth, else proven here in two round
 * trips.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another kind of contract, `chain_unavailable`.
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
  const traces = await findSplitterTraces(deps.chain, splitter, deployment, head);
  return await verifySplitterDeployment(deps.chain, splitter, traces, deployment);
}
