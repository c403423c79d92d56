import { z } from "zod";
import { addressOut, amountOut, evmAddress } from "./primitives.ts";

export const vestingRequest = z
  .strictObject({
    intent_id: z.uuid().describe("The draft, with `initial_buy.vesting` in its options."),
    wallet: evmAddress.describe(
      "The wallet that creates the vesting; the creator of the launch unless the draft names one.",
    ),
  })
  .meta({
    id: "VestingRequest",
    description: "The draft whose initial buy vests, and the wallet that creates the vesting.",
  });

export type VestingRequest = z.infer<typeof vestingRequest>;

export const vestingReleaseRequest = z
  .strictObject({
    token: evmAddress.describe("The launched token."),
    wallet: evmAddress.describe("The wallet that sends the transaction; it need not be the beneficiary."),
  })
  .meta({
    id: "VestingReleaseRequest",
    description: "The token whose initial buy vests, and the wallet that sends the transaction.",
  });

export type VestingReleaseRequest = z.infer<typeof vestingReleaseRequest>;

/** The vesting of a token's initial buy. Amounts in base units of the token. */
export const tokenVesting = z
  .object({
    token: addressOut.describe("The address of the token."),
    vesting: z
      .object({
        address: addressOut.describe("The vesting: the recipient of the initial buy."),
        beneficiary: addressOut.describe("The account that every release pays."),
        cliff: z.int().describe("When vesting begins, in Unix seconds."),
        end: z.int().describe("When all tokens are vested, in Unix seconds."),
        received: amountOut.describe(
          "The tokens that the vesting has received, with those of the initial buy; released tokens that are sent back count again.",
        ),
        vested: amountOut.describe("The part of `received` that is vested, with `released`."),
        released: amountOut.describe("The tokens that were released to the beneficiary."),
        releasable: amountOut.describe("The tokens that a release would pay now."),
        locked_share_of_supply: z
          .number()
          .describe("The part of `received` that is not vested yet, as a fraction of the supply, from 0 to 1."),
      })
      .nullable()
      .describe("Null if the token had no initial buy, or if its tokens did not go to a vesting of this deployment."),
    as_of_block: amountOut.describe(
      "The block at which the amounts were read; the block of the launch without a vesting.",
    ),
  })
  .meta({ id: "TokenVesting", description: "The vesting of a token's initial buy." });

export type TokenVesting = z.infer<typeof tokenVesting>;
