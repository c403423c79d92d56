import { openingFactoryAbi } from "@slipway/protocol/contracts/openingFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import { getRecipients, toAllocations } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  encodeCreateOpening,
  maxOpeningCap,
  maxOpeningSeconds,
  type OpeningBounds,
  predictOpening,
} from "@slipway/protocol/opening";
import type { OpeningRequest } from "@slipway/protocol/openings";
import { checksummed } from "@slipway/protocol/primitives";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { checkPayoutCode, findPayoutsWithCode, requireValidPayouts } from "../../transactions/checkPayouts.ts";
import { createContentWarnings, createHandleWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { createLaunchCall, toLaunchParams } from "../../transactions/launchTerms.ts";
import { isSplitterMade, predictMadeSplitter } from "../../transactions/madeSplitter.ts";
import { type Context, definePreparation, type Outcome, readBesideHead } from "../../transactions/preparation.ts";
import { getCreator, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { simulate } from "../../transactions/simulate.ts";
import { findUnfitReceiver } from "../../transactions/unfitReceiver.ts";
import { getIssueTime } from "../../transactions/validity.ts";

/** A validated request with its draft; `salt`: of the simulated launch, which is not the salt of the real one. */
export type OpeningOrder = {
  wallet: Hex;
  draft: StoredDraft;
  bounds: OpeningBounds;
  params: ReturnType<typeof toLaunchParams>;
  opening: Hex;
};

/**
 * Creates the order of an opening, after all checks that need no request to the chain.
 *
 * @param salt - A salt that no launch uses: the launch is simulated with it.
 * @throws SlipwayError for a draft that is not launchable or has an invalid payout, `invalid_fields`,
 *   `recipient_cannot_receive`.
 */
export function createOpeningOrder(
  manifest: Manifest,
  draft: StoredDraft,
  body: OpeningRequest,
  salt: Hex,
): OpeningOrder {
  requireLaunchableDraft(draft, manifest);
  const wallet = checksummed(body.wallet);
  const creator = getCreator(draft, wallet);
  if (creator !== wallet) {
    const message = `The draft's creator is ${creator}: only this wallet can create its opening.`;
    throw new SlipwayError("invalid_fields", message, { field: "wallet", details: { creator } });
  }
  if (draft.options?.initial_buy) {
    const message = "The draft has an initial buy, which the opening makes: store options without it.";
    throw new SlipwayError("invalid_fields", message, { field: "intent_id" });
  }
  requireValidPayouts(getRecipients(draft.intent, creator), manifest);
  const bounds = { minimum: BigInt(body.minimum), cap: BigInt(body.cap), deadline: body.deadline };
  requireBounds(bounds);
  const splitter = predictMadeSplitter(manifest, draft.id, toAllocations(draft.intent, creator)).address;
  const params = toLaunchParams(draft, { creator, splitter, salt });
  const kind = params.partner === zeroAddress ? null : findUnfitReceiver(params.partner, manifest);
  if (kind !== null) {
    const message = `The partner, ${params.partner}, is ${kind}: change the options.`;
    throw new SlipwayError("recipient_cannot_receive", message, { field: "partner" });
  }
  const { opening_factory, opening_implementation } = manifest.current;
  const contracts = {
    factory: opening_factory.address as Hex,
    implementation: opening_implementation.address as Hex,
  };
  return { wallet, draft, bounds, params, opening: checksummed(predictOpening(contracts, creator, params, bounds)) };
}

function requireBounds({ minimum, cap }: OpeningBounds): void {
  const refuse = (field: string, problem: string) => {
    throw new SlipwayError("invalid_fields", `${field} ${problem}.`, { field });
  };
  if (cap > maxOpeningCap) refuse("cap", `must be at most ${maxOpeningCap}, the maximum of the opening factory`);
  if (minimum > cap) refuse("minimum", "must be at most cap");
}

const step = { index: 1, total: 1, description: "Create the opening that collects the deposits" };

/**
 * Prepares the creation of an opening. The launch of its parameters is simulated too, so that no opening is created whose
 * launch would fail. The status is `nothing_to_do` if the opening exists.
 *
 * @throws SlipwayError `splitter_not_deployed`, `invalid_fields`, `recipient_cannot_receive`, `simulation_reverted`,
 *   `manifest_unverified`, `chain_unavailable`.
 */
export const prepareOpening = definePreparation({
  action: "create_opening",

  load: async (deps, { draft }: OpeningOrder) => {
    const [contentWarnings] = await createContentWarnings(deps, [draft]);
    return [...contentWarnings!, ...createHandleWarnings(draft.labels), ...createOptionWarnings(draft)];
  },

  read: (context: Context<OpeningOrder>) =>
    readBesideHead(context, () => ({
      payoutsWithCode: findPayoutsWithCode(context.chain, listRecipients(context.order)),
    })),

  plan: ({ chain, manifest, order, now }, state, block) => {
    const { wallet, draft, params, bounds } = order;
    requireFutureDeadline(bounds, getIssueTime(now, block));
    const made = predictMadeSplitter(manifest, draft.id, toAllocations(draft.intent, wallet));
    const data = encodeCreateOpening(params, bounds);
    const to = manifest.current.opening_factory.address as Hex;
    const noBuy = { recipient: zeroAddress, minimumOut: 0n };
    const terms = { creator: wallet, params, buy: noBuy, vesting: null, value: 0n };
    const launch = createLaunchCall(terms, manifest.current.launch_factory.address as Hex, null);
    return {
      shape: "transaction",
      candidates: [{ calls: [{ from: wallet, to, data, value: 0n }] }],
      reads: {
        payouts: async () =>
          await checkPayoutCode(chain, listRecipients(order), state.payoutsWithCode, manifest, block),
        isMade: async () => await requireSplitter(await isSplitterMade(chain, manifest, made, block), made.address),
        launch: async () => await simulate(chain, launch, block),
      },
    };
  },

  check: ({ context: { order }, answers, simulation, loaded }): Outcome<unknown> => {
    const { opening, params } = order;
    const created = decodeFunctionResult({
      abi: openingFactoryAbi,
      functionName: "create",
      data: simulation.returnData,
    });
    if (!isSameAddress(created, opening)) {
      const message = "The chain's opening factory does not return the predicted address.";
      throw new SlipwayError("manifest_unverified", message);
    }
    if (simulation.assetChanges.length > 0) {
      throw new SlipwayError("simulation_reverted", "The simulated creation transfers assets.");
    }
    // The factory emits an event exactly if it creates the opening.
    const exists = simulation.areAssetChangesKnown && simulation.logs.length === 0;
    return {
      status: exists ? "nothing_to_do" : "ready",
      step,
      next: `GET /openings/${opening}, after the receipt`,
      warnings: [...answers.payouts, ...loaded],
      expected: { opening, splitter: params.splitter },
    };
  },
});

const listRecipients = ({ draft, wallet }: OpeningOrder) => getRecipients(draft.intent, getCreator(draft, wallet));

/** @throws SlipwayError `splitter_not_deployed`: a signed launch accepts only the factory's splitter. */
async function requireSplitter(isMade: boolean, splitter: Hex): Promise<void> {
  if (isMade) return;
  const message =
    "The draft's splitter does not exist at the splitter factory: create it with POST /splits/transactions and the method factory.";
  throw new SlipwayError("splitter_not_deployed", message, { field: "intent_id", details: { splitter } });
}

/** @param time - Unix seconds. @throws SlipwayError `invalid_fields`. */
function requireFutureDeadline({ deadline }: OpeningBounds, time: bigint): void {
  const refuse = (problem: string) => {
    const text = new Date(deadline * 1_000).toISOString();
    throw new SlipwayError("invalid_fields", `deadline, ${text}, ${problem}.`, { field: "deadline" });
  };
  if (BigInt(deadline) <= time) refuse("is in the past");
  if (BigInt(deadline) > time + maxOpeningSeconds) refuse("is more than 30 days from now");
}
