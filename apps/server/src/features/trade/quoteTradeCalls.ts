import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { poolFeeAmount, priceImpactBps } from "@slipway/protocol/poolMath";
import { priceFromSqrtX96, tradePrices } from "@slipway/protocol/price";
import type { TradeCallsQuote } from "@slipway/protocol/tradeCalls";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import type { Hex } from "viem";
import type { HeadBlock } from "../../chain/readChain.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { validitySeconds } from "../../transactions/unsignedResult.ts";
import {
  clampToRange,
  createQuoteReads,
  type QuoteAnswers,
  requireQuoted,
  type TradePath,
  toQuote,
} from "./quoteTrade.ts";
import type { TradeCallsOrder } from "./tradeCallsOrder.ts";

/** Creates the reads for a quote of either kind of amount: the quoter's simulation, and the pool's price before it. */
export function createCallsQuoteReads(
  launch: IndexedLaunch,
  manifest: Manifest,
  path: TradePath,
  { amounts }: TradeCallsOrder,
) {
  if (amounts.exact === "input") return createQuoteReads(launch, manifest, path, amounts.amountIn);
  const { tokenIn, tokenOut, poolFee: fee } = path;
  return [
    {
      address: manifest.uniswap.quoter.address as Hex,
      abi: quoterAbi,
      functionName: "quoteExactOutputSingle",
      args: [{ tokenIn, tokenOut, amount: amounts.amountOut, fee, sqrtPriceLimitX96: 0n }],
    },
    { address: launch.pool, abi: poolAbi, functionName: "slot0" },
  ] as const;
}

/**
 * Creates the quote of a trade at a block with its prices but that in USD.
 *
 * @throws SlipwayError `simulation_reverted` when the pool cannot give the amount or costs more than the largest input,
 * `amount_too_small` when the minimum after slippage is zero.
 */
export function toCallsQuote(
  launch: IndexedLaunch,
  path: TradePath,
  order: TradeCallsOrder,
  answers: QuoteAnswers,
  head: HeadBlock,
): UnpricedQuote {
  const { amounts } = order;
  const amountsOfQuote =
    amounts.exact === "input"
      ? toQuote(
          launch,
          path,
          { amount_in: amounts.amountIn.toString(), slippage_bps: amounts.slippageBps },
          answers,
          head,
        )
      : toExactOutputQuote(launch, path, amounts, answers, head);
  const [, priceAfter] = requireQuoted(answers, path, head);
  const [amountIn, amountOut] = [BigInt(amountsOfQuote.amount_in), BigInt(amountsOfQuote.amount_out)];
  const [tokenAmount, nativeAmount] = order.side === "buy" ? [amountOut, amountIn] : [amountIn, amountOut];
  const toPrice = (sqrtPriceX96: bigint) => priceFromSqrtX96(clampToRange(launch, sqrtPriceX96), launch.isToken0);
  return {
    ...amountsOfQuote,
    settlement: order.isNative ? "native" : "wrapped_native",
    price_before: toPrice(answers.slot0[0]),
    price_after: toPrice(priceAfter),
    // The token amount is not zero: the quote refused that.
    effective_price: tradePrices(tokenAmount, nativeAmount, null).priceEth!,
    fee_amount: poolFeeAmount(amountIn, path.poolFee).toString(),
  };
}

type UnpricedQuote = Omit<TradeCallsQuote, "effective_price_usd">;

/** Adds the price in USD to a quote; null where the price of ETH is unknown. */
export function priceInUsd(quote: UnpricedQuote, ethUsd: number | null): TradeCallsQuote {
  return { ...quote, effective_price_usd: ethUsd === null ? null : quote.effective_price * ethUsd };
}

function toExactOutputQuote(
  launch: IndexedLaunch,
  path: TradePath,
  { amountOut, maximumIn }: { amountOut: bigint; maximumIn: bigint },
  answers: QuoteAnswers,
  head: HeadBlock,
) {
  const [amountIn] = requireQuoted(answers, path, head, "amount_out");
  if (amountIn > maximumIn) {
    throw new SlipwayError("simulation_reverted", `The trade costs ${amountIn}, which is more than maximum_in.`, {
      field: "maximum_in",
      details: {
        reason: "too_much_requested",
        amount_in: amountIn.toString(),
        maximum_in: maximumIn.toString(),
        block_number: head.number.toString(),
      },
    });
  }
  return {
    token_in: path.tokenIn,
    token_out: path.tokenOut,
    amount_in: amountIn.toString(),
    amount_out: amountOut.toString(),
    minimum_out: amountOut.toString(),
    maximum_in: maximumIn.toString(),
    block_number: head.number.toString(),
    expires_at: Number(head.timestamp + validitySeconds),
    slippage_bps: null,
    price_impact_bps: priceImpactBps(
      amountIn,
      amountOut,
      clampToRange(launch, answers.slot0[0]),
      path.zeroForOne,
      path.poolFee,
    ),
  };
}
