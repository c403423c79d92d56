import { openingAbi } from "@slipway/protocol/contracts/opening";
import { SlipwayError } from "@slipway/protocol/errors";
import { encodeCloseOpening } from "@slipway/protocol/opening";
import type { Hex } from "viem";
import { createEventParser } from "../../transactions/createEventParser.ts";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { type Context, definePreparation, type Outcome, readContractsAtHead } from "../../transactions/preparation.ts";
import type { Simulation } from "../../transactions/simulate.ts";
import { requireResult } from "./requireResult.ts";
import type { OtherLaunch } from "./toOpening.ts";

/** A validated request; addresses are checksummed. `launch`: the launch without the opening; null if none is indexed. */
export type ClosingOrder = { wallet: Hex; opening: Hex; launch: OtherLaunch | null };

const step = { index: 1, total: 1, description: "Close the opening: its token was launched without it" };

/**
 * Prepares the closing of an opening. The status is `nothing_to_do` if it has ended.
 *
 * @throws SlipwayError `opening_not_launched`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareClosing = definePreparation({
  action: "close_opening",

  read: (context: Context<ClosingOrder>) =>
    readContractsAtHead(context, [{ address: context.order.opening, abi: openingAbi, functionName: "closedAt" }]),

  plan: ({ order: { wallet, opening, launch } }, [closedAt]) => {
    const hasEnded = requireResult<number>(closedAt) !== 0;
    if (!hasEnded && launch === null) throw new SlipwayError("opening_not_launched");
    const calls =
      hasEnded || launch === null
        ? []
        : [{ from: wallet, to: opening, data: encodeCloseOpening(launch.params), value: 0n }];
    return { shape: "transaction" as const, candidates: hasEnded ? [] : [{ calls }], reads: {}, hasEnded };
  },

  checkReads: ({ plan, context: { order } }) =>
    plan.hasEnded
      ? { status: "nothing_to_do" as const, step, next: null, expected: { opening: order.opening } }
      : undefined,

  check: ({ context: { order }, simulation }): Outcome<unknown> => {
    const { opening, launch } = order;
    if (simulation.areAssetChangesKnown) assertOnlyClosing(simulation, opening, launch!.token);
    return {
      status: "ready",
      step,
      next: `POST /openings/${opening}/claims/transactions, after the receipt`,
      expected: { opening, token: launch!.token },
    };
  },
});

const parseClosings = createEventParser(openingAbi, "Closed");

/** Asserts that a simulated closing moves no asset and names the token. @throws SlipwayError `simulation_reverted`. */
function assertOnlyClosing({ assetChanges, logs }: Simulation, opening: Hex, token: Hex): void {
  const closings = parseClosings(logs.filter(({ address }) => isSameAddress(address, opening)));
  if (assetChanges.length === 0 && closings.length === 1 && isSameAddress(closings[0]!.token, token)) return;
  throw new SlipwayError("simulation_reverted", "The simulated closing has other effects than requested.");
}
