import { z } from "zod";
import { asOf } from "./asOf.ts";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";

/** An addition (`mint`) or a removal (`burn`) of liquidity in the pool of a launch. */
const liquidityChange = z.object({
  id: z.string().describe("The hash of the transaction, a colon and the log index."),
  kind: z.enum(["mint", "burn"]).describe("`mint`: liquidity was added; `burn`: liquidity was removed."),
  block_number: z.int().describe("The number of the block."),
  block_timestamp: dateTime,
  tx_hash: z.string(),
  log_index: z.int().describe("The position of the log in its block."),
  maker: addressOut.describe("The sender of the transaction."),
  token_amount: amountOut.describe("Tokens that were added, or that the pool owes to the owner, in base units."),
  quote_amount: amountOut.describe("Wrapped native that was added, or that the pool owes to the owner, in base units."),
});
export type LiquidityChange = z.infer<typeof liquidityChange>;

/** A page of the changes of liquidity in a token's pool. */
export const liquidityChanges = z
  .object({
    items: z.array(liquidityChange),
    next_cursor: z
      .string()
      .nullable()
      .describe("Pass it as `cursor` to get the next, earlier changes; null if there are none."),
    as_of: asOf,
  })
  .meta({
    id: "LiquidityChanges",
    description: "Additions and removals of liquidity in a token's pool, newest first, without that of the launch.",
  });
export type LiquidityChanges = z.infer<typeof liquidityChanges>;

export const liquidityChangesQuery = z.object({
  limit: integerQuery(1, 300, 50).describe("The maximum number of changes."),
  cursor: z
    .string()
    .regex(/^\d{1,15}:\d{1,9}$/, "must be next_cursor of a page")
    .optional()
    .describe("`next_cursor` of a page; only earlier changes are returned."),
});
