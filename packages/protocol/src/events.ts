import { z } from "zod";
import { accountSource } from "./indexed.ts";
import { integerQuery, maxBlockNumber, optionalIntegerQuery, requiredIntegerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";

/** Blocks of one request, which bound the rows that it reads. */
export const maxEventBlocks = 10_000;

const block = z.object({ block_number: z.int(), timestamp: dateTime });

/** A swap, or a mint or burn of liquidity, in the pool of a launch. */
export const poolEvent = z
  .object({
    id: z.string().describe("The hash of the transaction, a colon and the log index."),
    kind: z.enum(["swap", "mint", "burn"]),
    token: addressOut,
    pool: addressOut,
    block_number: z.int(),
    block_timestamp: dateTime,
    tx_hash: z.string(),
    tx_index: z.int().describe("The position of the transaction in its block."),
    log_index: z.int().describe("The position of the log in its block."),
    maker: addressOut.describe("The sender of the transaction."),
    token_amount: amountOut.describe("The moved tokens, in base units."),
    quote_amount: amountOut.describe("The moved wrapped native, in base units."),
    reserves: z
      .object({ token: amountOut, quote: amountOut })
      .describe(
        "The assets of the pool after the event, in base units, by the events of the pool: assets that were only " +
          "transferred to the pool do not count, and burned liquidity counts until it is collected.",
      ),
    side: z.enum(["buy", "sell"]).nullable().describe("Null for mints and burns, as the following fields."),
    recipient: addressOut.nullable(),
    account: addressOut.nullable(),
    account_source: accountSource.nullable(),
    price_eth: z.number().nullable().describe("The execution price in wrapped native."),
    price_eth_exact: z
      .string()
      .nullable()
      .describe("The same price as decimal text with up to 50 places, rounded down."),
    price_usd: z.number().nullable(),
    volume_usd: z.number().nullable(),
  })
  .meta({ id: "PoolEvent", description: "A swap, or a mint or burn of liquidity, in the pool of a launch." });
export type PoolEventOut = z.infer<typeof poolEvent>;

export const poolEvents = z
  .object({
    items: z.array(poolEvent),
    next_cursor: z
      .string()
      .nullable()
      .describe("Pass it as `cursor`, with the same blocks, to get the next events; null if there are none."),
    to_block: z.int().describe("The last block that the answer covers."),
    head: block.describe("The newest block of the chain that the service knows."),
    as_of: block.describe("The last indexed block."),
    final_block: z
      .int()
      .nullable()
      .describe("No reorganisation takes back events up to this block; null while there is no such block."),
  })
  .meta({ id: "PoolEvents", description: "The events of all pools in a range of blocks, in chain order." });
export type PoolEventsOut = z.infer<typeof poolEvents>;

export const eventsQuery = z.object({
  from_block: requiredIntegerQuery(0, maxBlockNumber).describe("The first block."),
  to_block: optionalIntegerQuery(0, maxBlockNumber).describe(
    `The last block, at most ${maxEventBlocks - 1} after from_block. The default is the last indexed block, or the last of ${maxEventBlocks} blocks.`,
  ),
  limit: integerQuery(1, 1_000, 300).describe("The maximum number of events."),
  cursor: z
    .string()
    .regex(/^\d{1,15}:\d{1,9}$/, "must be next_cursor of a page")
    .optional()
    .describe("`next_cursor` of a page; only later events are returned."),
});
