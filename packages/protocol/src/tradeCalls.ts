import { z } from "zod";
import { amountOut, evmAddress, positiveUint256 } from "./primitives.ts";
import { quote, tradeRequest, unsignedCallsFields, unsignedResult } from "./transaction.ts";
import { signature, typedData } from "./typedData.ts";

/** Native, wrapped native, or another asset that the deployment can exchange. */
const payment = z.union([
  z.enum(["native", "wrapped"]),
  z.strictObject({ asset: evmAddress.describe("An asset of `trade_assets` of GET /config.") }),
]);

const fields = z.strictObject({
  ...tradeRequest.shape,
  amount_in: positiveUint256.optional(),
  slippage_bps: tradeRequest.shape.slippage_bps.optional(),
  amount_out: positiveUint256.optional(),
  maximum_in: positiveUint256.optional(),
  /** The asset that a buy spends. */
  pay: payment.optional(),
  /** The asset that a sell receives. */
  receive: payment.optional(),
  /** The signed `permit_typed_data` of an earlier answer: its `deadline` (Unix seconds) and the wallet's signature. */
  permit: z.strictObject({ deadline: z.int().positive(), signature }).nullable().optional(),
  /** The receiver of the bought asset; by default the wallet. */
  recipient: evmAddress.optional(),
});

const exactInput = ["amount_in", "slippage_bps"] as const;
const exactOutput = ["amount_out", "maximum_in"] as const;

/**
 * A trade with more options than a TradeRequest: an exact input (`amount_in`, `slippage_bps`) or an exact output
 * (`amount_out`, `maximum_in`), native, wrapped native or another asset, a permit, a recipient.
 */
export const tradeCallsRequest = fields
  .superRefine((body, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const isOutput = exactOutput.some((name) => body[name] !== undefined);
    for (const name of isOutput ? exactOutput : exactInput) {
      if (body[name] === undefined)
        refuse(name, `is required: send ${exactInput.join(" and ")}, or ${exactOutput.join(" and ")}`);
    }
    if (isOutput) {
      for (const name of exactInput)
        if (body[name] !== undefined) refuse(name, "cannot be sent with amount_out and maximum_in");
    }
    if (body.side === "sell" && body.pay !== undefined) refuse("pay", "is only for a buy; a sell uses receive");
    if (body.side === "buy" && body.receive !== undefined) refuse("receive", "is only for a sell; a buy uses pay");
    const isAsset = typeof (body.pay ?? body.receive) === "object";
    if (isOutput && isAsset) refuse("amount_out", "cannot be sent with an asset: send amount_in and slippage_bps");
    if (body.side === "buy" && !isAsset && body.permit)
      refuse("permit", "is only for a sell, or for a buy with an asset: native and wrapped native have no permit");
  })
  .meta({
    id: "TradeCallsRequest",
    description:
      "A trade of an exact input or output, in native, wrapped native or an asset of `trade_assets`, with a permit or a recipient.",
  });

export type TradeCallsRequest = z.infer<typeof tradeCallsRequest>;

/** A Quote with prices in native for one whole token. With an exact output `slippage_bps` is null. */
export const tradeCallsQuote = quote
  .extend({
    settlement: z
      .enum(["native", "wrapped_native", "asset"])
      .describe(
        "What a buy pays and a sell yields. `asset`: exchanged through the pool of the asset, in the same swap.",
      ),
    slippage_bps: z.int().nullable(),
    /** The maximum input of an exact output. */
    maximum_in: amountOut.optional(),
    /** The prices before and after the trade. */
    price_before: z.number(),
    price_after: z.number(),
    /** The execution price of the trade, with the fee. */
    effective_price: z.number(),
    effective_price_usd: z.number().nullable(),
    /** The fee of the pool, or of both pools, in base units of `token_in`, rounded up. */
    fee_amount: amountOut,
    wrapped_amount: amountOut
      .optional()
      .describe(
        "Only with `asset`: the wrapped native between the two pools, in wei. `effective_price` is for this amount.",
      ),
  })
  .meta({
    id: "TradeCallsQuote",
    description: "A Quote with prices in native for one whole token. With an exact output `slippage_bps` is null.",
  });

export type TradeCallsQuote = z.infer<typeof tradeCallsQuote>;

/** An UnsignedResult with the batch, and the permit that would make the trade one transaction. */
export const tradeCallsResult = unsignedResult
  .extend({
    ...unsignedCallsFields,
    quote: tradeCallsQuote,
    permit_typed_data: typedData.nullable(),
  })
  .meta({
    id: "TradeCallsResult",
    description: "An UnsignedResult with the batch, and the permit that makes the trade one transaction.",
  });

export type TradeCallsResult = z.infer<typeof tradeCallsResult>;
