import { z } from "zod";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, evmAddress } from "./primitives.ts";
import { unsignedCallsFields, unsignedResult } from "./transaction.ts";

/** The maximum number of tokens of a claim: their first claims fit into one transaction (2^24 gas). */
export const maxClaimTokens = 20;

export const feePendingQuery = z.object({ token: evmAddress.describe("The address of a launched token.") });

/**
 * The amounts that a collection would collect at a block, in base units. `protocol`, `partner` and `collaborators` are
 * the parts; `recipients` divide the part of the collaborators.
 */
export const feePending = z
  .object({
    token: addressOut,
    splitter: addressOut,
    locker: addressOut,
    treasury: addressOut,
    partner: addressOut.nullable(),
    assets: z.array(
      z.object({
        asset: addressOut,
        symbol: z.string(),
        decimals: z.int(),
        amount: amountOut,
        protocol: amountOut,
        partner: amountOut,
        collaborators: amountOut,
      }),
    ),
    recipients: z.array(
      z.object({
        wallet: addressOut,
        provider: z.enum(["wallet", "code_host", "social"]),
        handle: z.string().nullable(),
        verified: z.boolean(),
        share_bps: z.int(),
        amounts: z.array(z.object({ asset: addressOut, amount: amountOut })),
      }),
    ),
    as_of_block: amountOut,
  })
  .meta({
    id: "FeePending",
    description:
      "The amounts that a collection would collect, by simulation at `as_of_block`, in base units: the parts of protocol, " +
      "partner and collaborators, and the amount that each recipient can claim after a settlement.",
  });

export type FeePending = z.infer<typeof feePending>;

/** The pending fees of a wallet, by launch. */
export const walletFeePending = z
  .object({
    wallet: addressOut,
    items: z.array(
      z.object({
        token: addressOut,
        splitter: addressOut.nullable(),
        share_bps: z
          .int()
          .nullable()
          .describe("The wallet's share of the collaborators' part, in basis points; null if it is unknown."),
        amounts: z
          .array(z.object({ asset: addressOut, symbol: z.string(), decimals: z.int(), amount: amountOut }))
          .describe("What the wallet can claim after a collection and a settlement, in base units."),
        as_of_block: amountOut.nullable(),
        error: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .describe("Why the token cannot be collected now; its other values are then unknown."),
      }),
    ),
    next_cursor: z.string().nullable().describe("Pass it as `cursor` to get the next page; null on the last page."),
  })
  .meta({
    id: "WalletFeePending",
    description: "The amounts that collections would bring a wallet, by launch, each by simulation at `as_of_block`.",
  });

export type WalletFeePending = z.infer<typeof walletFeePending>;

export const walletFeePendingQuery = z.object({
  limit: integerQuery(1, 10, 10).describe("The maximum number of tokens."),
  cursor: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/, "must be next_cursor of an answer")
    .optional()
    .describe("`next_cursor` of the previous page."),
});

/**
 * A claim of one wallet on several tokens. The stage `release` pays only amounts that were already settled to the
 * splitters.
 */
export const claimCallsRequest = z
  .strictObject({
    wallet: evmAddress.describe("The recipient, which is paid and sends the transaction."),
    tokens: z.array(evmAddress).min(1).max(maxClaimTokens),
    unwrap: z
      .boolean()
      .optional()
      .describe("Pay the wallet's share of the wrapped native token as native. Default false."),
    stages: z
      .enum(["all", "release"])
      .optional()
      .describe("`all` collects, settles and releases; `release` only releases. Default `all`."),
  })
  .superRefine(({ tokens }, context) => {
    const seen = new Set<string>();
    for (const [index, token] of tokens.entries()) {
      if (seen.has(token.toLowerCase())) {
        context.addIssue({ code: "custom", path: ["tokens", index], message: "repeats an earlier token" });
      }
      seen.add(token.toLowerCase());
    }
  })
  .meta({ id: "ClaimCallsRequest", description: "A claim of all earnings of one wallet from several tokens." });

export type ClaimCallsRequest = z.infer<typeof claimCallsRequest>;

export const claimCallsResult = unsignedResult.extend(unsignedCallsFields).meta({
  id: "ClaimCallsResult",
  description:
    "An UnsignedResult with the batch. `expected.amounts` are paid, by asset and receiver; the zero address is " +
    "native.",
});

export type ClaimCallsResult = z.infer<typeof claimCallsResult>;

export const payoutRequest = z
  .strictObject({
    token: evmAddress,
    wallet: evmAddress.describe("The recipient that changes its payout address."),
    payout: evmAddress.nullable().describe("The new payout address; null for the wallet itself."),
  })
  .meta({ id: "PayoutRequest", description: "A new payout address of a recipient of a token." });

export type PayoutRequest = z.infer<typeof payoutRequest>;
