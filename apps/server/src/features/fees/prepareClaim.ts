import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { ClaimRequest, UnsignedResult } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { ProvenManifest } from "../../chain/provenManifest.ts";
import { readAccount } from "../../chain/readAccount.ts";
import { type Head, readHead } from "../../chain/readHead.ts";
import { settled } from "../../chain/settled.ts";
import { type Simulation, simulate } from "../../chain/simulate.ts";
import { supportedLaunch } from "../../chain/supportedLaunch.ts";
import { readL1Gas } from "../../chain/transactionFees.ts";
import { nothingToDoResult, readyResult } from "../../chain/unsignedResult.ts";
import { findLaunch, type IndexedLaunch } from "../../db/findLaunch.ts";
import { latestEthUsd } from "../../db/latestEthUsd.ts";
import type { Deps } from "../../deps.ts";
import { collectedAmounts, type FeeAmount, releasedAmounts, stageCall, stageSteps } from "./claimStage.ts";
import { readCredits } from "./readCredits.ts";
import { splitterAllocations } from "./splitterAllocations.ts";

export type ClaimOrder = Pick<ClaimRequest, "stage"> & { token: Hex; wallet: Hex; asset?: Hex; recipient: Hex };

/**
 * Builds one stage of paying out fees. Anybody may send it; the money goes where the launch says. Two round trips: the
 * head; the stage's reads and its simulation; a third where the index has not judged the splitter's birth yet.
 *
 * @throws SlipwayError `pool_not_supported`, `invalid_fields`, `splitter_mismatch`, `not_recipient`,
 * `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareClaim(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: ClaimOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  const { launch, deployment } = supportedLaunch(await findLaunch(deps.db.read, order.token), manifest);
  const assets = assetsOf(launch, order.asset);
  const [head, ethUsd] = await Promise.all([readHead(deps.chain, manifest.chain_id), latestEthUsd(deps.db.read)]);
  const call = { from: order.wallet, ...stageCall(order.stage, launch, assets, order.recipient), value: 0n };
  // Together, for fewer round trips; but who is paid is checked before the simulation's outcome counts.
  const [checked, simulated, l1, read, credited] = await Promise.allSettled([
    order.stage === "release" ? checkRecipient(deps, launch, deployment, order.recipient, head) : Promise.resolve(),
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
    readAccount(deps.chain, order.wallet, head),
    order.stage === "settle" ? readCredits(deps.chain, launch, assets, head) : Promise.resolve([]),
  ]);
  settled(checked);
  const simulation = settled(simulated);
  const amounts = amountsOf(order, launch, assets, simulation, settled(credited)).filter(({ amount }) => amount > 0n);
  const shared = {
    action: order.stage,
    proven,
    head,
    requestId,
    ...stageSteps[order.stage],
    simulation,
    expected: { amounts: amounts.map(({ asset, to, amount }) => ({ asset, to, amount: amount.toString() })) },
  };
  if (amounts.length === 0) return nothingToDoResult(shared);
  return readyResult({ ...shared, call, l1Gas: settled(l1), ethUsd, nativeBalance: settled(read).nativeBalance });
}

/** @throws SlipwayError `splitter_mismatch` for a splitter of unknown birth, `not_recipient`. */
async function checkRecipient(
  deps: Pick<Deps, "chain" | "db">,
  launch: IndexedLaunch,
  deployment: LaunchDeployment,
  recipient: Hex,
  head: Head,
): Promise<void> {
  const allocations = await splitterAllocations(deps, launch.splitter, deployment, head);
  if (allocations.some(({ payee }) => payee === recipient)) return;
  throw new SlipwayError("not_recipient", undefined, { field: "recipient" });
}

/** Both assets of the launch, the token first, or the one asked for. */
function assetsOf(launch: IndexedLaunch, asset: Hex | undefined): Hex[] {
  const both = [launch.token, launch.quoteToken];
  if (asset === undefined) return both;
  if (both.includes(asset)) return [asset];
  throw new SlipwayError("invalid_fields", "asset: must be the launch token or the wrapped native asset", {
    field: "asset",
  });
}

function amountsOf(
  order: ClaimOrder,
  launch: IndexedLaunch,
  assets: readonly Hex[],
  simulation: Simulation,
  credits: FeeAmount[],
): FeeAmount[] {
  switch (order.stage) {
    case "collect":
      return collectedAmounts(launch, simulation);
    case "settle":
      return credits;
    case "release":
      return releasedAmounts(assets, order.recipient, simulation);
  }
}
