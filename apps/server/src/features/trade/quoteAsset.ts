import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { poolFeeAmount, priceImpactBps } from "@slipway/protocol/poolMath";
import { encodeSwapPath } from "@slipway/protocol/swapCall";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import type { ContractFunctionParameters, Hex } from "viem";
import type { TradeAsset } from "../../transactions/tradeAssets.ts";
import type { TradeOrder } from "./tradeOrder.ts";
import type { TradePath } from "./tradePath.ts";

/** The results of the reads of an asset: the first of the two swaps alone, and the price of the asset's pool before it. */
export type AssetAnswers = {
  firstSwap: { result?: readonly [bigint, bigint, number, bigint] };
  sqrtPriceX96: bigint;
};

/** The exchange between the asset and wrapped native in a trade. Amounts in base units. */
export type Exchange = { wrappedAmount: bigint; impactBps: number | null; feeAmount: bigint };

/** The fees of the two pools, in the order of the swaps. */
function getFees({ pools, poolFee }: TradePath, asset: TradeAsset): [number, number] {
  return pools.first === asset.pool ? [asset.fee, poolFee] : [poolFee, asset.fee];
}

/** The swap through both pools, in the form of `SwapOrder`. */
export function getTwoPools(path: TradePath, asset: TradeAsset): { fee: number; second: { token: Hex; fee: number } } {
  const [fee, secondFee] = getFees(path, asset);
  return { fee, second: { token: path.wrappedNative, fee: secondFee } };
}

/**
 * Creates the reads of a trade in an asset: the quote of both swaps, the quote of the first swap alone, whose output is the
 * wrapped native between the pools or follows from it, and the price of the asset's pool.
 */
export function createAssetReads(
  manifest: Manifest,
  path: TradePath,
  asset: TradeAsset,
  amounts: TradeOrder["amounts"],
): ContractFunctionParameters[] {
  if (amounts.exact === "output") {
    throw new SlipwayError("invalid_fields", "A trade in an asset needs amount_in and slippage_bps.", {
      field: "amount_out",
    });
  }
  const quoter = { address: manifest.uniswap.quoter.address as Hex, abi: quoterAbi } as const;
  const { fee, second } = getTwoPools(path, asset);
  const { tokenIn, tokenOut, wrappedNative } = path;
  const { amountIn } = amounts;
  return [
    {
      ...quoter,
      functionName: "quoteExactInput",
      args: [encodeSwapPath({ tokenIn, tokenOut, fee, second }), amountIn],
    },
    {
      ...quoter,
      functionName: "quoteExactInputSingle",
      args: [{ tokenIn, tokenOut: wrappedNative, amountIn, fee, sqrtPriceLimitX96: 0n }],
    },
    { address: asset.pool, abi: poolAbi, functionName: "slot0" },
  ] as ContractFunctionParameters[];
}

/**
 * Computes the wrapped native between the two pools, the price impact in the pool of the asset, and the fees of both pools
 * in base units of the input, rounded up.
 *
 * @throws SlipwayError `chain_unavailable` if the first swap has no quote although both together have one.
 */
export function quoteExchange(
  path: TradePath,
  asset: TradeAsset,
  { asset: answers }: { asset: AssetAnswers | null },
  { amountIn, amountOut, isBuy }: { amountIn: bigint; amountOut: bigint; isBuy: boolean },
): Exchange {
  const wrappedAmount = answers?.firstSwap.result?.[0];
  if (answers === null || wrappedAmount === undefined)
    throw new SlipwayError("chain_unavailable", "The pool of the asset could not be read.");
  const assetIsToken0 = BigInt(asset.token) < BigInt(path.wrappedNative);
  const [exchangeIn, exchangeOut] = isBuy ? [amountIn, wrappedAmount] : [wrappedAmount, amountOut];
  const [firstFee, secondFee] = getFees(path, asset);
  const first = poolFeeAmount(amountIn, firstFee);
  return {
    wrappedAmount,
    impactBps: priceImpactBps(exchangeIn, exchangeOut, answers.sqrtPriceX96, isBuy === assetIsToken0, asset.fee),
    feeAmount: first + poolFeeAmount(amountIn - first, secondFee),
  };
}

/** Combines the price impacts of two swaps, one after the other; null if one is unknown. */
export function addImpacts(first: number | null, second: number | null): number | null {
  if (first === null || second === null) return null;
  return Math.round(10_000 - ((10_000 - first) * (10_000 - second)) / 10_000);
}
