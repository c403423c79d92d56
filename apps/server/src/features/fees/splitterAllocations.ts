import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { Allocation } from "@slipway/protocol/splitterCode";
import type { Hex } from "viem";
import { findSplitterTraces, proveSplitter } from "../../chain/proveSplitter.ts";
import type { Head } from "../../chain/readHead.ts";
import type { Deps } from "../../deps.ts";
import { findSplitter } from "./queries.ts";

/**
 * Who a launch's splitter pays: by the index where it has judged the splitter's birth, else proven here in two round
 * trips.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another kind of contract, `chain_unavailable`.
 */
export async function splitterAllocations(
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
  return await proveSplitter(deps.chain, splitter, traces, deployment);
}
