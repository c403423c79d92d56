import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { type DraftVesting, getDraftVesting } from "@slipway/protocol/vesting";
import type { Hex } from "viem";
import {
  assertMadeVesting,
  createMakeVestingCall,
  getVestingContracts,
  readIsVesting,
  requireFutureVesting,
} from "../../transactions/madeVesting.ts";
import { type Context, definePreparation, type Outcome, readBesideHead } from "../../transactions/preparation.ts";
import { getCreator, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { findUnfitReceiver } from "../../transactions/unfitReceiver.ts";
import { getIssueTime } from "../../transactions/validity.ts";

/** A validated request with the draft's vesting; addresses are checksummed. */
export type VestingOrder = { wallet: Hex; vesting: DraftVesting };

/**
 * Creates the order of a draft's vesting.
 *
 * @throws SlipwayError for a draft that is not launchable, `no_vesting`, `recipient_cannot_receive`.
 */
export function createVestingOrder(manifest: Manifest, draft: StoredDraft, wallet: Hex): VestingOrder {
  requireLaunchableDraft(draft, manifest);
  const vesting = getDraftVesting(draft, getCreator(draft, wallet), getVestingContracts(manifest.current));
  if (vesting === null) throw new SlipwayError("no_vesting", undefined, { field: "intent_id" });
  const kind = findUnfitReceiver(vesting.beneficiary, manifest);
  if (kind === null) return { wallet, vesting };
  const message = `The recipient of the initial buy, ${vesting.beneficiary}, is ${kind}: change the options.`;
  throw new SlipwayError("recipient_cannot_receive", message, {
    field: "initial_buy.recipient",
    details: { wallet: vesting.beneficiary },
  });
}

const step = { index: 1, total: 2, description: "Create the vesting that receives the tokens of the initial buy" };
const next = "POST /launch/transactions with this intent_id, after the receipt";

/**
 * Prepares the creation of the vesting of a draft's initial buy. The status is `nothing_to_do` if it exists: any account
 * may have created it, with the same result.
 *
 * @throws SlipwayError `invalid_fields`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareVesting = definePreparation({
  action: "deploy_vesting",

  read: (context: Context<VestingOrder>) => {
    const { vesting } = context.order;
    return readBesideHead(context, () => ({
      exists: readIsVesting(context.chain, vesting.create.to, vesting.address),
    }));
  },

  plan: ({ order, now }, { exists }, block) => {
    const { vesting, wallet } = order;
    if (!exists) requireFutureVesting(vesting, getIssueTime(now, block));
    const call = createMakeVestingCall(vesting, wallet);
    return { shape: "transaction", candidates: [{ calls: [call] }], reads: {}, exists };
  },

  check: ({ context, plan, simulation }): Outcome<unknown> => {
    const { vesting } = context.order;
    assertMadeVesting(simulation.returnData, vesting);
    const status = plan.exists ? "nothing_to_do" : "ready";
    return { status, step, next, expected: { vesting: vesting.address } };
  },
});
