import { openingAbi } from "@slipway/protocol/contracts/opening";
import { SlipwayError } from "@slipway/protocol/errors";
import { encodeOpeningDeposit } from "@slipway/protocol/opening";
import { type Hex, zeroAddress } from "viem";
import { createEventParser } from "../../transactions/createEventParser.ts";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { type Context, definePreparation, type Outcome } from "../../transactions/preparation.ts";
import type { Simulation } from "../../transactions/simulate.ts";
import { getIssueTime } from "../../transactions/validity.ts";
import { type OpeningTerms, requireBeforeDeadline } from "./loadOpening.ts";

/** A validated request with its opening; the wallet is checksummed, the amount in wei. */
export type DepositOrder = { wallet: Hex; amount: bigint; opening: Pick<OpeningTerms, "address" | "deadline"> };

const step = { index: 1, total: 1, description: "Deposit native into the opening" };

/**
 * Prepares a deposit of a wallet for itself.
 *
 * @throws SlipwayError `opening_expired`, `opening_closed`, `insufficient_balance`, `simulation_reverted`,
 *   `manifest_unverified`, `chain_unavailable`.
 */
export const prepareDeposit = definePreparation({
  action: "deposit_opening",
  read: (_: Context<DepositOrder>) => null,

  plan: ({ order, now }, _state, block) => {
    const { wallet, amount, opening } = order;
    requireBeforeDeadline(opening, getIssueTime(now, block));
    const data = encodeOpeningDeposit(wallet);
    return {
      shape: "transaction",
      candidates: [{ calls: [{ from: wallet, to: opening.address, data, value: amount }] }],
      reads: {},
    };
  },

  checkReads: ({ context: { order }, nativeBalance }) => {
    if (nativeBalance >= order.amount) return undefined;
    throw new SlipwayError("insufficient_balance", "The wallet's balance is below the amount of the deposit.", {
      field: "wallet",
      details: { asset: zeroAddress, needed: order.amount.toString(), available: nativeBalance.toString() },
    });
  },

  check: ({ context: { order }, simulation }): Outcome<unknown> => {
    const { amount, opening } = order;
    if (simulation.areAssetChangesKnown) assertOnlyDeposit(simulation, order);
    return {
      status: "ready",
      step,
      // A client that repeats a request until there is no next step would deposit again.
      next: null,
      expected: {
        opening: opening.address,
        amounts: [{ asset: zeroAddress, to: opening.address, amount: amount.toString() }],
      },
    };
  },
});

const parseDeposits = createEventParser(openingAbi, "Deposited");

/** Asserts that a simulated deposit only moves the amount, and is booked for the wallet. */
function assertOnlyDeposit({ assetChanges, logs }: Simulation, { wallet, amount, opening }: DepositOrder): void {
  const [moved, ...others] = assetChanges;
  const isMoved =
    others.length === 0 &&
    moved?.asset === zeroAddress &&
    isSameAddress(moved.from, wallet) &&
    isSameAddress(moved.to, opening.address) &&
    BigInt(moved.amount) === amount;
  const own = logs.filter(({ address }) => isSameAddress(address, opening.address));
  const [booked, ...more] = parseDeposits(own);
  const isBooked = more.length === 0 && booked?.account === wallet && booked.amount === amount;
  if (isMoved && isBooked) return;
  throw new SlipwayError("simulation_reverted", "The simulated deposit has other effects than requested.");
}
