import { openingAbi } from "@slipway/protocol/contracts/opening";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { encodeOpeningClaim } from "@slipway/protocol/opening";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { type Context, definePreparation, type Outcome, readContractsAtHead } from "../../transactions/preparation.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import { requireResult } from "./requireResult.ts";

/**
 * A validated request; addresses are checksummed. `account` is the depositor; `to` the receiver, which is the account
 * unless the account sends the transaction itself.
 */
export type ClaimOrder = { wallet: Hex; opening: Hex; account: Hex; to: Hex };

const step = { index: 1, total: 1, description: "Claim the tokens and the refund of a depositor" };

/**
 * Prepares the claim of a depositor. The status is `nothing_to_do` if nothing can be claimed.
 *
 * @throws SlipwayError `recipient_cannot_receive`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareClaim = definePreparation({
  action: "claim_opening",

  read: (context: Context<ClaimOrder>) => {
    const address = context.order.opening;
    return readContractsAtHead(
      context,
      ["token", "closedAt", "deadline"].map((functionName) => ({ address, abi: openingAbi, functionName })),
    );
  },

  plan: ({ chain, order, now }, [token, closedAt, deadline], block) => {
    const { wallet, opening, account, to } = order;
    const end = requireResult<number>(closedAt) || requireResult<number>(deadline);
    const data = encodeOpeningClaim(to === account ? { account } : { to });
    const view = encodeCall({ abi: openingAbi, functionName: "claimable", args: [account] });
    return {
      shape: "transaction" as const,
      candidates: [{ calls: [{ from: wallet, to: opening, data, value: 0n }] }],
      reads: {
        claimable: async () =>
          decodeClaimable(await simulate(chain, { from: wallet, to: opening, data: view, value: 0n }, block)),
      },
      token: requireResult<Hex>(token),
      // A later block can have the time of the block that ends the opening, and a claim in it reverts. The simulated block
      // always has a later time.
      isEarly: block.timestamp <= BigInt(end) && now <= BigInt(end) + 1n,
    };
  },

  checkReads: ({ answers, plan, context: { order } }) => {
    const { tokens, refund } = answers.claimable;
    if (!plan.isEarly && (tokens > 0n || refund > 0n)) return undefined;
    return { status: "nothing_to_do" as const, step, next: null, expected: { opening: order.opening, amounts: [] } };
  },

  check: ({ context: { order }, plan, simulation }): Outcome<unknown> => {
    const data = simulation.returnData;
    const [tokens, refund] = decodeFunctionResult({ abi: openingAbi, functionName: "claim", data });
    const amounts = [
      { asset: plan.token, to: order.to, amount: tokens.toString() },
      { asset: zeroAddress, to: order.to, amount: refund.toString() },
    ].filter(({ amount }) => amount !== "0");
    if (simulation.areAssetChangesKnown) assertOnlyClaim(simulation, order.opening, amounts);
    return { status: "ready", step, next: null, expected: { opening: order.opening, amounts } };
  },
});

function decodeClaimable({ returnData }: Simulation): { tokens: bigint; refund: bigint } {
  const [tokens, refund] = decodeFunctionResult({ abi: openingAbi, functionName: "claimable", data: returnData });
  return { tokens, refund };
}

type Amount = { asset: Hex; to: Hex; amount: string };

/** Asserts that a simulated claim pays exactly the amounts. @throws SlipwayError `simulation_reverted`. */
function assertOnlyClaim({ assetChanges }: Simulation, opening: Hex, amounts: readonly Amount[]): void {
  const isPaid = (amount: Amount) =>
    assetChanges.some(
      (change) =>
        isSameAddress(change.asset, amount.asset) &&
        isSameAddress(change.from, opening) &&
        isSameAddress(change.to, amount.to) &&
        change.amount === amount.amount,
    );
  // A receiver with code can pass the native on; only the opening's own payments are compared.
  const own = assetChanges.filter(({ from }) => isSameAddress(from, opening));
  if (own.length === amounts.length && amounts.every(isPaid)) return;
  throw new SlipwayError("simulation_reverted", "The simulated claim makes other transfers than requested.");
}
