import { openingAbi } from "@slipway/protocol/contracts/opening";
import { SlipwayError } from "@slipway/protocol/errors";
import { encodeOpen } from "@slipway/protocol/opening";
import { decodeFunctionResult, type Hex } from "viem";
import { assertLaunchEffects } from "../../transactions/assertLaunchEffects.ts";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { requireCurrentEpoch } from "../../transactions/launchAuthorization.ts";
import { type Context, definePreparation, type Outcome } from "../../transactions/preparation.ts";
import { getIssueTime } from "../../transactions/validity.ts";
import { type OpeningTerms, requireBeforeDeadline } from "./loadOpening.ts";
import { createExpected, createOpeningLaunch, explainLaunchError } from "./openingLaunch.ts";

/** A validated request; `value` in wei. `epoch`: the epoch that the creator signed; null if the request does not name it. */
export type OpeningLaunchOrder = {
  wallet: Hex;
  opening: OpeningTerms;
  salt: Hex;
  value: bigint;
  signature: Hex;
  epoch: bigint | null;
};

const step = { index: 2, total: 2, description: "Launch the token with one buy of the deposits" };

/**
 * Prepares the launch of an opening with the creator's signature. Any wallet may send the transaction.
 *
 * @throws SlipwayError `opening_not_ready`, `opening_expired`, `opening_closed`, `opening_value_out_of_range`,
 *   `signature_invalid`, `authorization_cancelled`, `pool_taken`, `salt_taken`, `simulation_reverted`, `manifest_unverified`,
 *   `chain_unavailable`.
 */
export const prepareOpeningLaunch = definePreparation({
  action: "launch_opening",
  read: (_: Context<OpeningLaunchOrder>) => null,

  plan: ({ chain, manifest, order, now }, _state, block) => {
    const { wallet, opening, salt, value, signature, epoch } = order;
    requireBeforeDeadline(opening, getIssueTime(now, block));
    const planned = createOpeningLaunch(manifest, opening, salt, value);
    const { terms } = planned;
    const data = encodeOpen(terms.params, value, terms.buy.minimumOut, signature);
    const factory = opening.deployment.launch_factory.address as Hex;
    const signed = { epoch, field: "epoch" };
    return {
      shape: "transaction" as const,
      candidates: [{ calls: [{ from: wallet, to: opening.address, data, value: 0n }] }],
      reads: {
        epoch: async () => await requireCurrentEpoch(chain, manifest, factory, opening.creator, signed, block),
      },
      explain: (error: SlipwayError) => explainLaunchError(explainRange(error)),
      planned,
      factory,
    };
  },

  check: ({ context: { order }, plan, simulation }): Outcome<unknown> => {
    const { wallet, opening } = order;
    const { planned, factory } = plan;
    const data = simulation.returnData;
    const bought = decodeFunctionResult({ abi: openingAbi, functionName: "open", data });
    if (bought !== planned.amountOut) {
      throw new SlipwayError("manifest_unverified", "The pool on the chain returns another amount than computed.");
    }
    if (simulation.areAssetChangesKnown) {
      const accounts = { payer: opening.address, factory, token: planned.token };
      assertLaunchEffects(simulation.assetChanges, { ...planned.terms, vesting: null }, accounts);
      if (simulation.assetChanges.some(({ from }) => isSameAddress(from, wallet))) {
        throw new SlipwayError("simulation_reverted", "The simulated launch moves assets of the wallet.");
      }
    }
    return {
      status: "ready",
      step,
      next: `GET /tokens/${planned.token}, after the receipt`,
      expected: createExpected(opening.address, planned),
    };
  },
});

/** Deposits below the minimum exclude every value: then another value does not help. */
function explainRange(error: SlipwayError): SlipwayError {
  if (error.code !== "opening_value_out_of_range") return error;
  const { minimum, maximum } = (error.details as { args?: { minimum?: string; maximum?: string } }).args ?? {};
  if (minimum === undefined || maximum === undefined || BigInt(maximum) >= BigInt(minimum)) return error;
  return new SlipwayError("opening_not_ready", undefined, { cause: error, details: { minimum, maximum } });
}
