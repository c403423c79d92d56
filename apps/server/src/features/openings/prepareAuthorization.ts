import { smaller } from "@slipway/protocol/bigints";
import { openingAbi } from "@slipway/protocol/contracts/opening";
import { SlipwayError } from "@slipway/protocol/errors";
import type { OpeningAuthorization } from "@slipway/protocol/openings";
import type { Hex } from "viem";
import { assertLaunchEffects, assertPredicted } from "../../transactions/assertLaunchEffects.ts";
import {
  assertEpochs,
  createTypedData,
  offerAuthorization,
  readEpochs,
} from "../../transactions/launchAuthorization.ts";
import { createLaunchCall } from "../../transactions/launchTerms.ts";
import { type Context, definePreparation, type Outcome, readContractsAtHead } from "../../transactions/preparation.ts";
import { getIssueTime } from "../../transactions/validity.ts";
import { type OpeningTerms, requireBeforeDeadline } from "./loadOpening.ts";
import { createExpected, createOpeningLaunch, explainLaunchError, requireValue } from "./openingLaunch.ts";
import { requireResult } from "./requireResult.ts";

/** A validated request. `wallet` is the creator; `value` in wei, null for as much as possible. */
export type AuthorizationOrder = { wallet: Hex; opening: OpeningTerms; salt: Hex; value: bigint | null };

type Fields = Pick<OpeningAuthorization, "value" | "salt" | "typed_data">;

const step = { index: 1, total: 2, description: "Let the creator sign the launch" };

/**
 * Prepares the typed data by which the creator launches an opening. The simulated launch is the creator's own, with the same
 * arguments: the opening's call needs the signature. The caller must not return that launch as a transaction.
 *
 * @throws SlipwayError `opening_not_ready`, `opening_expired`, `opening_closed`, `opening_value_out_of_range`, `pool_taken`,
 *   `salt_taken`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareAuthorization = definePreparation({
  action: "launch_opening",

  read: (context: Context<AuthorizationOrder>) => {
    const { address } = context.order.opening;
    return readContractsAtHead(context, [
      { address, abi: openingAbi, functionName: "total" },
      { address, abi: openingAbi, functionName: "closedAt" },
    ]);
  },

  plan: ({ chain, manifest, order, now }, [total, closedAt], block) => {
    const { opening, salt } = order;
    requireBeforeDeadline(opening, getIssueTime(now, block));
    const deposits = requireResult<bigint>(total);
    if (requireResult<number>(closedAt) !== 0) throw new SlipwayError("opening_closed");
    const value = order.value ?? smaller(deposits, opening.cap);
    requireValue(opening, deposits, value);
    const planned = createOpeningLaunch(manifest, opening, salt, value);
    const factory = opening.deployment.launch_factory.address as Hex;
    const offered = offerAuthorization(planned.terms, factory, opening.deadline);
    const launch = createLaunchCall({ ...planned.terms, vesting: null }, factory, null);
    return {
      shape: "batch" as const,
      candidates: [{ calls: [launch] }],
      views: offered.views,
      balances: { [launch.from]: value },
      reads: { epochs: async () => await readEpochs(chain, manifest, factory, opening.creator, block) },
      explain: explainLaunchError,
      offered,
      planned,
      factory,
    };
  },

  check: ({ context: { manifest, order }, plan, answers, simulation, head }): Outcome<Fields> => {
    const { offered, planned, factory } = plan;
    const { terms, token } = planned;
    assertPredicted(simulation, planned);
    const typedData = createTypedData(offered, terms, { factory, chainId: manifest.chain_id }, simulation.readData);
    assertEpochs(answers.epochs, typedData, head);
    if (simulation.areAssetChangesKnown) {
      const accounts = { payer: terms.creator, factory, token };
      assertLaunchEffects(simulation.assetChanges, { ...terms, vesting: null }, accounts);
    }
    return {
      status: "ready",
      step,
      next: `POST /openings/${order.opening.address}/open/transactions with value, salt and the signature`,
      expected: createExpected(order.opening.address, planned),
      fields: {
        value: terms.value.toString(),
        salt: order.salt,
        typed_data: typedData,
      },
    };
  },
});
