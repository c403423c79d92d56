import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { maxTick, minTick, sqrtPriceX96AtTick } from "@slipway/protocol/tickMath";
import { minimumOut, priceImpactBps } from "@slipway/protocol/tradeAmounts";
import type { Quote, TradeRequest } from "@slipway/protocol/transaction";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswapAbi";
import { BaseError, ContractFunctionRevertedError, type Hex } from "viem";
import { revertedError } from "../../transactions/decodeRevert.ts";
import type { Head } from "../../chain/readChain.ts";
import { validitySeconds } from "../../transactions/unsignedResult.ts";
import type { IndexedLaunch } from "../../transactions/queries.ts";
import type { TradePath } from "./tradePath.ts";

/** Where a swap without a price limit stops when the pool has nothing left to give. */
const lowestPrice = sqrtPriceX96AtTick(minTick) + 1n;
const highestPrice = sqrtPriceX96AtTick(maxTick) - 1n;

/** What the two reads of `quoteReads` answered. */
export type QuoteAnswers = {
  quoted: { result?: readonly [bigint, bigint, number, bigint]; error?: Error };
  slot0: readonly [bigint, number, number, number, number, number, boolean];
};

/** The reads that a quote is made of: the quoter's simulation of the swap, and the pool's price before it. */
export function quoteReads(launch: IndexedLaunch, manifest: Manifest, path: TradePath, amountIn: bigint) {
  return [
    {
      address: manifest.uniswap.quoter.address as Hex,
      abi: quoterAbi,
      functionName: "quoteExactInputSingle",
      args: [{ tokenIn: path.tokenIn, tokenOut: path.tokenOut, amountIn, fee: path.poolFee, sqrtPriceLimitX96: 0n }],
    },
    { address: launch.pool, abi: poolAbi, functionName: "slot0" },
  ] as const;
}

/**
 * The quote of a trade at a block, good for 60 s of the chain's time.
 *
 * @throws SlipwayError `simulation_reverted` when the pool cannot take the whole amount, `amount_too_small` when the
 * trade would yield nothing after the slippage.
 */
export function quoteTrade(
  launch: IndexedLaunch,
  path: TradePath,
  request: Pick<TradeRequest, "amount_in" | "slippage_bps">,
  answers: QuoteAnswers,
  head: Head,
): Quote {
  const amountIn = BigInt(request.amount_in);
  if (!answers.quoted.result) throw quoterError(answers.quoted.error, head);
  const [amountOut, priceAfter] = answers.quoted.result;
  if (priceAfter === (path.zeroForOne ? lowestPrice : highestPrice)) throw insufficientLiquidity(head);
  const minimum = minimumOut(amountOut, request.slippage_bps);
  if (minimum === 0n) {
    throw new SlipwayError("amount_too_small", "The trade would yield nothing; trade a larger amount.", {
      field: "amount_in",
      details: { amount_out: amountOut.toString() },
    });
  }
  return {
    token_in: path.tokenIn,
    token_out: path.tokenOut,
    amount_in: amountIn.toString(),
    amount_out: amountOut.toString(),
    minimum_out: minimum.toString(),
    block_number: head.number.toString(),
    settlement: "wrapped_native",
    expires_at: Number(head.timestamp + validitySeconds),
    slippage_bps: request.slippage_bps,
    price_impact_bps: priceImpactBps(
      amountIn,
      amountOut,
      priceInRange(launch, answers.slot0[0]),
      path.zeroForOne,
      path.poolFee,
    ),
  };
}

/** The quoter refuses without the pool's own reason when a swap would move nothing, or overflow the pool's integers. */
const reasonsOfQuoter = new Set(["", "Unexpected error"]);

function quoterError(error: Error | undefined, head: Head): SlipwayError {
  const reverted =
    error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null;
  const { raw = "0x", reason = "" } = (reverted ?? {}) as { raw?: Hex; reason?: string };
  return reasonsOfQuoter.has(reason) ? insufficientLiquidity(head) : revertedError(raw, head.number);
}

function insufficientLiquidity(head: Head): SlipwayError {
  return new SlipwayError("simulation_reverted", "The pool cannot take the whole amount: it has too little to give.", {
    field: "amount_in",
    details: { reason: "insufficient_liquidity", block_number: head.number.toString() },
  });
}

/**
 * The price that a trade starts at: the pool's own, or the nearer end of the locked position. Anybody can push the
 * pool's price through the empty range beside it at no cost; no trade happens there.
 */
export function priceInRange(launch: Pick<IndexedLaunch, "tickLower" | "tickUpper">, sqrtPriceX96: bigint): bigint {
  const lower = sqrtPriceX96AtTick(launch.tickLower);
  const upper = sqrtPriceX96AtTick(launch.tickUpper);
  return sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96;
}
