import { z } from "zod";
import { handleProvider } from "./accounts.ts";
import { asOf } from "./asOf.ts";
import { indexedTrade } from "./indexed.ts";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, dateTime, evmAddress } from "./primitives.ts";
import { text } from "./text.ts";
import { nameWarning } from "./tokenWarning.ts";

const metric = z.number().nullable();

/** A launched token in lists about wallets. */
const tokenName = z.object({
  address: addressOut,
  name: z.string(),
  symbol: z.string(),
  name_warning: nameWarning,
  image: z.string().nullable().describe("The `image_url` of the token in the token list."),
});
export type TokenName = z.infer<typeof tokenName>;

const holding = z.object({
  token: tokenName,
  amount: amountOut,
  value_usd: metric.describe("The value at the current price of the pool; null if the USD price is unknown."),
  share_of_supply: metric.describe("A fraction from 0 to 1."),
});

const walletLaunch = z.object({
  token: tokenName,
  splitter: addressOut,
  launched_at: dateTime,
  block_number: z.int(),
  tx_hash: z.string(),
  market_cap_usd: metric,
});

const receipt = z.object({
  token: tokenName,
  splitter: addressOut,
  share_bps: z.int(),
  claimable: z
    .array(z.object({ asset: addressOut, amount: amountOut }))
    .describe(
      "The settled amounts minus the released amounts, in the token and in the wrapped native token. " +
        "Donations are excluded.",
    ),
});

const profit = z.object({
  method: z.literal("average_cost"),
  realized_usd: metric,
  realized_eth: metric.describe("In whole native tokens."),
});

/** The index data of a wallet: one page of its four lists, and the profit of all its trades. */
export const indexedWallet = z
  .object({
    holdings: z.array(holding),
    launches: z.array(walletLaunch),
    recipient_of: z.array(receipt),
    trades: z.array(indexedTrade.extend({ token: tokenName })),
    trades_from_block: z
      .number()
      .int()
      .nullable()
      .describe(
        "The block from which `trades` is complete: the operator has removed older trades. Null: no trade is missing. " +
          "Holdings and profit count all trades in any case.",
      ),
    next_cursor: z.string().nullable(),
    profit,
    as_of: asOf,
  })
  .meta({
    id: "IndexedWallet",
    description: "A wallet: one page of its four lists, and the profit of all its trades.",
  });
export type IndexedWallet = z.infer<typeof indexedWallet>;

const walletCursorPart = "(-|0x[0-9a-f]{40})?";

/** The query of a wallet. The cursor contains the position in each of the four lists; `-` for a list that has ended. */
export const walletQuery = z.object({
  cursor: z
    .string()
    .regex(
      new RegExp(`^${walletCursorPart}~${walletCursorPart}~${walletCursorPart}~(-|0x[0-9a-f]{64}:[0-9]{1,9})?$`),
      "must be next_cursor of an answer",
    )
    .optional()
    .describe("`next_cursor` of the previous page."),
});

export const holderLabel = z.enum(["pool", "locker", "splitter", "opening", "burn"]);

const holderChange = z.object({
  came: z.int().describe("How often an account began to hold: its balance was zero and is not at the end of a block."),
  left: z.int().describe("How often an account ceased to hold."),
  net: z.int().describe("`came` minus `left`: the change of the number of holders."),
});

const holderBand = z.object({
  min_share: z.number().describe("The lowest share of the supply in the band, as a fraction."),
  max_share: metric.describe("The share at which the next band begins; null for the last one."),
  holders: z.int(),
  amount: amountOut.describe("The balances of the band, in base units."),
  share_of_supply: metric.describe("`amount` as a fraction of the supply."),
});

/** A page of a token's balances, largest first. */
export const tokenHolders = z
  .object({
    items: z.array(
      z.object({
        address: addressOut,
        amount: amountOut,
        share_of_supply: metric.describe("A fraction from 0 to 1."),
        label: holderLabel.nullable().describe("The role of the address for this token; null for other accounts."),
      }),
    ),
    next_cursor: z.string().nullable(),
    holders: z.int().describe("The number of holders: without the pool, the locker and burn addresses."),
    changes: z
      .object({ h1: holderChange, h24: holderChange, d7: holderChange })
      .nullable()
      .describe(
        "Changes of the holders over 1 hour, 24 hours and 7 days, up to the last indexed minute; null while an index of " +
          "an earlier version is being replaced.",
      ),
    distribution: z
      .array(holderBand)
      .describe("Holders by their share of the supply: below 0.1 %, to 1 %, to 10 %, and above."),
    as_of: asOf,
  })
  .meta({ id: "TokenHolders", description: "A page of a token's balances, largest first." });
export type TokenHolders = z.infer<typeof tokenHolders>;

export const holdersQuery = z.object({
  limit: integerQuery(1, 300, 50).describe("The maximum number of balances."),
  cursor: z
    .string()
    .regex(/^[0-9]{1,78}~0x[0-9a-f]{40}$/, "must be next_cursor of an answer")
    .optional()
    .describe("`next_cursor` of the previous page."),
});

/** The payout wallet chosen by the account that has proven a handle. */
export const recipient = z
  .object({ provider: handleProvider, handle: z.string(), wallet: addressOut })
  .meta({ id: "HandleOwner", description: "The payout wallet that the owner of the handle has chosen." });
export type Recipient = z.infer<typeof recipient>;

export const recipientQuery = z.object({
  provider: handleProvider.describe("The provider of the handle."),
  handle: text().min(1).max(64).describe("The handle, in any case, with or without `@`."),
});

/** An address in the path of a request. */
export const walletParams = z.object({ address: evmAddress.describe("Any wallet or contract.") });
