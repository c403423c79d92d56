import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  maxTick,
  minimumOut,
  minTick,
  poolFeeAmount,
  priceImpactBps,
  sqrtPriceX96AtTick,
} from "@slipway/protocol/poolMath";
import { priceFromSqrtX96, tradePrices } from "@slipway/protocol/price";
import type { TradeCallsQuote } from "@slipway/protocol/tradeCalls";
import type { Quote } from "@slipway/protocol/transaction";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import { BaseError, type ContractFunctionParameters, ContractFunctionRevertedError, type Hex } from "viem";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3, getProvenManifest, type HeadBlock } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { toRevertError } from "../../transactions/decodeRevert.ts";
import { withLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { getExpiry, getUnixSeconds } from "../../transactions/validity.ts";
import { type AssetAnswers, addImpacts, createAssetReads, quoteExchange } from "./quoteAsset.ts";
import type { TradeOrder } from "./tradeOrder.ts";
import { createTradePath, type TradePath } from "./tradePath.ts";

/** The result of a quote through one pool, or through two: then with the prices of both pools. */
type Quoted = { result?: readonly [bigint, bigint | readonly bigint[], unknown, bigint]; error?: Error };
type Slot0 = readonly [bigint, number, number, number, number, number, boolean];

/** The results of `createQuoteReads`. `asset`: of a trade in an asset, its exchange alone. */
export type QuoteAnswers = { quoted: Quoted; slot0: Slot0; asset: AssetAnswers | null };

/** Creates the reads of a quote: the quoter's simulation of the swap, the pool's price before it, and those of an asset. */
export function createQuoteReads(
  launch: IndexedLaunch,
  manifest: Manifest,
  path: TradePath,
  { amounts }: Pick<TradeOrder, "amounts">,
): ContractFunctionParameters[] {
  const { tokenIn, tokenOut, poolFee: fee } = path;
  const slot0 = { address: launch.pool, abi: poolAbi, functionName: "slot0" } as const;
  if (path.asset !== null) {
    const [swap, ...others] = createAssetReads(manifest, path, path.asset, amounts);
    return [swap!, slot0, ...others];
  }
  const shared = { tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n };
  const quoter = { address: manifest.uniswap.quoter.address as Hex, abi: quoterAbi } as const;
  const swap =
    amounts.exact === "input"
      ? { ...quoter, functionName: "quoteExactInputSingle", args: [{ ...shared, amountIn: amounts.amountIn }] }
      : { ...quoter, functionName: "quoteExactOutputSingle", args: [{ ...shared, amount: amounts.amountOut }] };
  return [swap, slot0] as ContractFunctionParameters[];
}

/**
 * Quotes a trade at the newest block. One round trip.
 *
 * @throws SlipwayError as `createQuote`; `manifest_missing`, `manifest_unverified`, `pool_not_supported`,
 * `chain_unavailable`.
 */
export async function quoteTrade(deps: Pick<Deps, "chain" | "clock" | "db">, order: TradeOrder): Promise<Quote> {
  const now = getUnixSeconds(deps.clock);
  const { manifest } = getProvenManifest(deps.chain);
  const { launch, result } = await withLaunch(deps, manifest, order.token, async ({ launch }) => {
    const path = createTradePath(deps.chain, launch, manifest, order);
    const reads = createQuoteReads(launch, manifest, path, order);
    return { path, ...(await readAtHead(deps.chain, manifest.chain_id, reads, getMulticall3(manifest))) };
  });
  const { path, head, results } = result;
  const [quoted, slot0] = results as unknown as [QuoteAnswers["quoted"], { result?: QuoteAnswers["slot0"] }];
  if (slot0.result === undefined) throw new SlipwayError("chain_unavailable", "The pool could not be read.");
  return toPlainQuote(createQuote(launch, path, order, { quoted, slot0: slot0.result, asset: null }, { head, now }));
}

/** A quote without its price in USD. */
export type UnpricedQuote = Omit<TradeCallsQuote, "effective_price_usd">;

/**
 * Creates the quote of a trade at a block, valid for 60 s of block time.
 *
 * @throws SlipwayError `simulation_reverted` when the pool cannot trade the whole amount or costs more than the maximum
 * input, `amount_too_small` when the minimum after slippage is zero.
 */
export function createQuote(
  launch: IndexedLaunch,
  path: TradePath,
  order: TradeOrder,
  answers: QuoteAnswers,
  { head, now }: { head: HeadBlock; now: bigint },
): UnpricedQuote {
  const [priceBefore] = answers.slot0;
  const { amountIn, amountOut, priceAfter, ...limits } = quoteAmounts(path, order, answers, head);
  const isBuy = order.side === "buy";
  const tokenAmount = isBuy ? amountOut : amountIn;
  const exchange =
    path.asset === null ? null : quoteExchange(path, path.asset, answers, { amountIn, amountOut, isBuy });
  const nativeAmount = exchange?.wrappedAmount ?? (isBuy ? amountIn : amountOut);
  const [poolIn, poolOut] = isBuy ? [nativeAmount, tokenAmount] : [tokenAmount, nativeAmount];
  const startPrice = clampToRange(launch, priceBefore);
  const impactBps = priceImpactBps(poolIn, poolOut, startPrice, path.zeroForOne, path.poolFee);
  return {
    token_in: path.tokenIn,
    token_out: path.tokenOut,
    amount_in: amountIn.toString(),
    amount_out: amountOut.toString(),
    ...limits,
    block_number: head.number.toString(),
    settlement: exchange !== null ? "asset" : order.isNative ? "native" : "wrapped_native",
    expires_at: getExpiry(now),
    price_impact_bps: exchange === null ? impactBps : addImpacts(impactBps, exchange.impactBps),
    price_before: priceFromSqrtX96(startPrice, launch.isToken0),
    price_after: priceFromSqrtX96(clampToRange(launch, priceAfter), launch.isToken0),
    // Not null: `quoteAmounts` refuses a token amount of zero.
    effective_price: tradePrices(tokenAmount, nativeAmount, null).priceEth!,
    fee_amount: (exchange?.feeAmount ?? poolFeeAmount(amountIn, path.poolFee)).toString(),
    ...(exchange === null ? {} : { wrapped_amount: exchange.wrappedAmount.toString() }),
  };
}

/** Computes the amounts of a quote and its limits. */
function quoteAmounts(path: TradePath, { amounts }: TradeOrder, answers: QuoteAnswers, head: HeadBlock) {
  if (amounts.exact === "input") {
    const [amountOut, priceAfter] = requireQuoted(answers, path, head, "amount_in");
    const minimum = minimumOut(amountOut, amounts.slippageBps);
    if (minimum === 0n) {
      throw new SlipwayError("amount_too_small", "The trade would yield nothing; trade a larger amount.", {
        field: "amount_in",
        details: { amount_out: amountOut.toString() },
      });
    }
    return {
      amountIn: amounts.amountIn,
      amountOut,
      priceAfter,
      minimum_out: minimum.toString(),
      slippage_bps: amounts.slippageBps,
    };
  }
  const { amountOut, maximumIn } = amounts;
  const [amountIn, priceAfter] = requireQuoted(answers, path, head, "amount_out");
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
    amountIn,
    amountOut,
    priceAfter,
    minimum_out: amountOut.toString(),
    maximum_in: maximumIn.toString(),
    slippage_bps: null,
  };
}

/** Adds the price in USD to a quote; null where the price of ETH is unknown. */
export function priceInUsd(quote: UnpricedQuote, ethUsd: number | null): TradeCallsQuote {
  return { ...quote, effective_price_usd: ethUsd === null ? null : quote.effective_price * ethUsd };
}

/** Reduces the quote of an exact input, settled in wrapped native, to the fields of `/trade/quote`. */
export function toPlainQuote(quote: UnpricedQuote): Quote {
  return {
    token_in: quote.token_in,
    token_out: quote.token_out,
    amount_in: quote.amount_in,
    amount_out: quote.amount_out,
    minimum_out: quote.minimum_out,
    block_number: quote.block_number,
    settlement: "wrapped_native",
    expires_at: quote.expires_at,
    slippage_bps: quote.slippage_bps!,
    price_impact_bps: quote.price_impact_bps,
  };
}

/** The price at which a swap without a price limit stops when the pool has no liquidity left. */
const minSqrtPrice = sqrtPriceX96AtTick(minTick) + 1n;
const maxSqrtPrice = sqrtPriceX96AtTick(maxTick) - 1n;

/** Returns the quoter's amount, and the pool's price after the swap. */
function requireQuoted(
  { quoted }: QuoteAnswers,
  path: TradePath,
  head: HeadBlock,
  field: "amount_in" | "amount_out",
): readonly [bigint, bigint] {
  if (!quoted.result) throw toQuoterError(quoted.error, head, field);
  const [amount, prices] = quoted.result;
  const priceAfter = getLaunchPrice(prices, path);
  if (priceAfter === (path.zeroForOne ? minSqrtPrice : maxSqrtPrice)) throw createInsufficientLiquidity(head, field);
  return [amount, priceAfter];
}

/** Returns the price of the launch's pool after the swap: of two pools, the second one of a buy. */
const getLaunchPrice = (prices: bigint | readonly bigint[], { pools, asset }: TradePath): bigint =>
  typeof prices === "bigint" ? prices : prices[pools.first === asset?.pool ? 1 : 0]!;

/** Revert reasons of the quoter, not the pool: the swap moves nothing, or overflows the pool's integers. */
const unspecificReasons = new Set(["", "Unexpected error"]);

function toQuoterError(error: Error | undefined, head: HeadBlock, field: string): SlipwayError {
  const reverted =
    error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null;
  const { raw = "0x", reason = "" } = (reverted ?? {}) as { raw?: Hex; reason?: string };
  return unspecificReasons.has(reason) ? createInsufficientLiquidity(head, field) : toRevertError(raw, head.number);
}

function createInsufficientLiquidity(head: HeadBlock, field: string): SlipwayError {
  return new SlipwayError("simulation_reverted", "The pool's liquidity is too low for the whole amount.", {
    field,
    details: { reason: "insufficient_liquidity", block_number: head.number.toString() },
  });
}

/**
 * Returns the price at which a trade starts: the pool's price, clamped to the range of the locked position. Outside the
 * range, the pool's price can be moved at no cost, and no trade happens.
 */
function clampToRange(launch: Pick<IndexedLaunch, "tickLower" | "tickUpper">, sqrtPriceX96: bigint): bigint {
  const lower = sqrtPriceX96AtTick(launch.tickLower);
  const upper = sqrtPriceX96AtTick(launch.tickUpper);
  return sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96;
}
