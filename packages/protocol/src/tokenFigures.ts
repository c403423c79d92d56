import { z } from "zod";
import { asOf } from "./asOf.ts";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";

const metric = z.number().nullable();

export const traderSort = z.enum(["realized", "unrealized"]);

/** A page of the accounts that traded a token, with their profit. */
export const tokenTraders = z
  .object({
    items: z.array(
      z.object({
        address: addressOut,
        last_trade_at: dateTime,
        amount: amountOut.describe("Tokens bought and not sold, in base units. Transfers do not count."),
        average_cost_eth: metric.describe("What a whole token of `amount` cost, in native; null without one."),
        average_cost_usd: metric.describe("The same in USD, at the ETH/USD prices of the buys."),
        realized_eth: z
          .number()
          .describe("Proceeds of the sells minus the average cost of the sold tokens, in native."),
        realized_usd: metric.describe("The same in USD, at the ETH/USD price of each trade."),
        value_eth: z
          .number()
          .describe("What the locked liquidity pays for `amount` in one sell now, in native, after the pool's fee."),
        value_usd: metric.describe("`value_eth` at the current ETH/USD price."),
        unrealized_eth: z.number().describe("`value_eth` minus the cost of `amount`, in native."),
        unrealized_usd: metric.describe("`value_usd` minus the cost of `amount` in USD."),
      }),
    ),
    next_cursor: z
      .string()
      .nullable()
      .describe("Pass it as `cursor` to get the next page; null on the last page, and with the order `unrealized`."),
    compared: z
      .int()
      .nullable()
      .describe(
        "With the order `unrealized`: the number of accounts that were compared, those with the largest `amount`.",
      ),
    complete: z
      .boolean()
      .describe("Whether no other account can be before the last item. With the order `realized` always true."),
    as_of: asOf,
  })
  .meta({
    id: "TokenTraders",
    description:
      "Accounts that traded a token, with their profit by moving average cost. Net flow, what the sells brought minus " +
      "what the buys cost, is not profit: it ignores the tokens that are still held.",
  });
export type TokenTraders = z.infer<typeof tokenTraders>;

export const tradersQuery = z.object({
  sort: traderSort
    .default("realized")
    .describe(
      "The order, largest first, in native: `realized`, of the accounts that have sold; or `unrealized`, of the 1,000 " +
        "accounts with the largest `amount`.",
    ),
  limit: integerQuery(1, 100, 50).describe("The maximum number of accounts."),
  cursor: z
    .string()
    .regex(/^-?[0-9]{1,120}~0x[0-9a-f]{40}$/, "must be next_cursor of an answer")
    .optional()
    .describe("`next_cursor` of the previous page, with the order `realized`."),
});

/** The amounts that move the price of a token's pool. */
export const tokenDepth = z
  .object({
    price_eth: metric.describe("The pool's price in native."),
    price_usd: metric,
    levels: z.array(
      z.object({
        change_pct: z.number().describe("The change of the price in percent: 1, 2, 5, 10 and their negatives."),
        side: z.enum(["buy", "sell"]).describe("A buy raises the price, a sell lowers it."),
        price_eth: metric.describe("The pool's price after the trade, in native."),
        token_amount: amountOut.describe("Tokens that the trade receives (buy) or pays (sell), in base units."),
        quote_amount: amountOut.describe("Wrapped native that the trade pays (buy) or receives (sell), in base units."),
        quote_usd: metric.describe("`quote_amount` at the current ETH/USD price."),
        reached: z
          .boolean()
          .describe("Whether the locked liquidity reaches this price. If not, the amounts are those of all of it."),
      }),
    ),
    liquidity: z.object({
      locked: amountOut.describe("Liquidity of the locked position."),
      in_range: amountOut.describe("Liquidity of all positions at the current price."),
      others_in_range: amountOut.describe(
        "`in_range` without the locked position. How far other positions reach is unknown, so the levels do not count them.",
      ),
      range_price_eth: z
        .object({ low: metric, high: metric })
        .describe("The prices between which the locked position is, in native."),
    }),
    as_of: asOf,
  })
  .meta({
    id: "TokenDepth",
    description:
      "The trades that move the price of a token's pool, if the locked position is its only liquidity; paid amounts " +
      "include the pool's fee. With other liquidity in the pool, a trade of these amounts moves the price less.",
  });
export type TokenDepth = z.infer<typeof tokenDepth>;
