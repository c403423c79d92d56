import { z } from "zod";
import { addressOut, amountOut, evmAddress } from "./primitives.ts";
import { warning } from "./transaction.ts";

/** The amounts of native, in wei, of the example buys of a preview; each is computed as the first buy. */
export const previewedBuys = [10n ** 17n, 10n ** 18n, 10n ** 19n] as const;

export const launchPreviewRequest = z.strictObject({ intent_id: z.uuid(), wallet: evmAddress }).meta({
  id: "LaunchPreviewRequest",
  description: "The draft, and the wallet that would launch it.",
});

export type LaunchPreviewRequest = z.infer<typeof launchPreviewRequest>;

const usd = z.number().nullable().describe("In USD; null when the price of ETH is unknown.");

/** A price in native and USD for one whole token, with the value of the whole supply at that price. */
const price = z.object({
  price_eth: z.number(),
  price_usd: usd,
  market_cap_eth: z.number(),
  market_cap_usd: usd,
  fdv_eth: z.number(),
  fdv_usd: usd,
});

/** A buy at the start price, the first of the pool. Amounts in base units. */
const firstBuy = z.object({
  amount_in: amountOut,
  amount_out: amountOut,
  share_of_supply: z.number().describe("A fraction from 0 to 1."),
  after: price.describe("The pool's price after the buy."),
});

/** The current gas of one transaction, with the fields of `fees` of a prepared transaction. */
const step = z.object({
  action: z.enum(["deploy_splitter", "deploy_vesting", "launch"]),
  gas_used: amountOut,
  gas_limit: amountOut,
  gas_price: amountOut,
  l1_gas: amountOut.nullable(),
  total_wei: amountOut,
  total_usd: usd,
});

/** The expected result of a draft's launch, at a block. */
export const launchPreview = z
  .object({
    block_number: amountOut,
    eth_usd: usd,
    start: price.describe("The start price, which every launch has."),
    buys: z.array(firstBuy).describe("Buys of 0.1, 1 and 10 native, each as the first one of the pool."),
    initial_buy: firstBuy
      .extend({
        minimum_out: amountOut,
        recipient: addressOut.describe("The receiver of the tokens; the vesting if they vest."),
        vesting: z
          .object({
            beneficiary: addressOut.describe("The account that every release pays."),
            cliff: z.int().describe("When vesting begins, in Unix seconds."),
            end: z.int().describe("When all tokens are vested, in Unix seconds."),
          })
          .nullable()
          .describe("The terms of the vesting, dates in Unix seconds; null if the tokens do not vest."),
      })
      .nullable()
      .describe("The initial buy of the draft's options; null without one."),
    steps: z.array(step).describe("The remaining transactions, in order."),
    total: z
      .object({ value: amountOut, gas_wei: amountOut, total_wei: amountOut, total_usd: usd })
      .describe("The cost of the launch: the value of the initial buy, and the gas of all steps."),
    fees: z
      .object({
        total_bps: z.int(),
        protocol_bps: z.int(),
        collaborators_bps: z.int(),
        partner_share_bps: z
          .int()
          .describe("The current part of the partner in the protocol's share, in basis points."),
        pool_protocol_fee: z.int().describe("Uniswap's own fee of the pool, from its slot0."),
        lp_fee_bps_effective: z
          .number()
          .describe("The part of total_bps that remains after Uniswap's own fee, in basis points."),
        collaborators_bps_effective: z.number(),
      })
      .describe("Fees of each trade, in basis points."),
    warnings: z.array(warning),
    request_id: z.string(),
  })
  .meta({ id: "LaunchPreview", description: "The preview of a draft's launch, simulated at a block." });

export type LaunchPreview = z.infer<typeof launchPreview>;
