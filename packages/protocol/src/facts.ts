import { z } from "zod";
import { asOf } from "./asOf.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";

const metric = z.number().nullable();

/** The windows after a launch in which buys are counted. */
export const launchWindowIds = [
  "launch_transaction",
  "launch_block",
  "first_3_blocks",
  "first_10_blocks",
  "first_60_seconds",
] as const;

export type LaunchWindowId = (typeof launchWindowIds)[number];

const windowFacts = launchWindowIds.flatMap(
  (window) => [`${window}_bought`, `${window}_buyers`, `${window}_held`] as const,
);

/** Ids of facts, in the order of the response. */
export const factIds = [
  "creator_share",
  "creator_bought",
  "creator_sold",
  "creator_transferred_out",
  ...windowFacts,
  "first_buyers_funded_by_creator",
  "top_10_share",
  "holders_without_buy",
  "round_trips_block",
  "round_trips_300_seconds",
  "earlier_launches",
  "privileged_functions",
  "liquidity_locked",
  "fee_total",
  "fee_protocol",
] as const;

export type FactId = (typeof factIds)[number];

export const factUnit = z
  .enum([
    "percent_of_supply",
    "percent_of_volume",
    "percent_of_liquidity",
    "percent_of_trade",
    "accounts",
    "launches",
    "functions",
  ])
  .describe("The unit of `value`. `percent_of_volume`: of the tokens in all trades. `percent_of_trade`: a fee.");
export type FactUnit = z.infer<typeof factUnit>;

const factWindow = z.object({
  kind: z
    .enum(["now", "since_launch", "launch_transaction", "blocks", "seconds", "fixed"])
    .describe("`now`: the state at `to_block`. `fixed`: given by the launch's contracts; it cannot change."),
  from_block: z.int(),
  to_block: z.int().nullable().describe("The last block; null for a window that ends at a time."),
  to_time: dateTime.nullable().describe("The end of a window of `seconds`, exclusive; null for other windows."),
  complete: z.boolean().describe("Whether the window has ended, so that blocks after `as_of_block` add nothing to it."),
});
export type FactWindow = z.infer<typeof factWindow>;

export const fact = z
  .object({
    id: z.enum(factIds),
    value: metric.describe("In `unit`; null if unknown, never zero instead."),
    unit: factUnit,
    amount: amountOut
      .nullable()
      .describe("The tokens from which `value` is computed, in base units; null for a fact that is no amount."),
    formula: z.string().describe("Id and version of the formula, which the page `docs/api.md` explains."),
    window: factWindow,
    as_of_block: z.int().describe("The last block whose events the fact includes."),
  })
  .meta({
    id: "Fact",
    description: "A figure about a launch, with formula, window and block. Not a rating: it says nothing about intent.",
  });
export type Fact = z.infer<typeof fact>;

/** Maximum number of earlier launches in a response. */
export const maxEarlierLaunches = 20;

const earlierLaunch = z.object({
  address: addressOut,
  name: z.string().nullable().describe("Null if the operator removed the token from lists."),
  symbol: z.string().nullable().describe("Null if the operator removed the token from lists."),
  launched_at: dateTime,
  block_number: z.int(),
  trades: z.int(),
  last_trade_at: dateTime.nullable().describe("The time of the last trade, in UTC; null without one."),
  traded_in_7_days: z.boolean().describe("Whether it traded in the seven days before `as_of`."),
  liquidity_eth: metric.describe("The value of the locked position in whole native tokens."),
  liquidity_usd: metric,
  creator_share_pct: metric.describe("The creator's balance, in percent of the supply."),
  creator_sold_pct: metric.describe("The tokens that the creator sold, in percent of the supply."),
});
export type EarlierLaunch = z.infer<typeof earlierLaunch>;

export const tokenFacts = z
  .object({
    address: addressOut,
    creator: addressOut,
    facts: z.array(fact),
    earlier_launches: z
      .array(earlierLaunch)
      .max(maxEarlierLaunches)
      .describe(`The creator's launches before this one, newest first, at most ${maxEarlierLaunches}.`),
    as_of: asOf,
  })
  .meta({
    id: "TokenFacts",
    description:
      "Facts about the conduct of a launch's creator and first buyers. Each has a formula, a window and a block; null is " +
      "unknown. There is no score and no verdict.",
  });
export type TokenFacts = z.infer<typeof tokenFacts>;

/** The facts of a token in lists and in its details. */
export const tokenFactsSummary = z
  .object({
    creator_share_pct: metric.describe("`creator_share`, in percent of the supply."),
    creator_sold_pct: metric.describe("`creator_sold`, in percent of the supply."),
    creator_transferred_out_pct: metric.describe("`creator_transferred_out`, in percent of the supply."),
    launch_block_bought_pct: metric.describe("`launch_block_bought`, in percent of the supply."),
    launch_block_buyers: z.int().nullable().describe("`launch_block_buyers`, accounts."),
    launch_block_held_pct: metric.describe("`launch_block_held`, in percent of the supply."),
    holders_without_buy: z.int().nullable().describe("`holders_without_buy`, accounts."),
    round_trips_300s_pct: metric.describe("`round_trips_300_seconds`, in percent of the traded tokens."),
    earlier_launches: z.int().nullable().describe("`earlier_launches`, launches."),
  })
  .meta({
    id: "TokenFactsSummary",
    description: "The short form of the facts that `GET /tokens/{address}/facts` explains. Null is unknown.",
  });
export type TokenFactsSummary = z.infer<typeof tokenFactsSummary>;
