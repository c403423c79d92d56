import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { maxTick, minimumOut, minTick, priceImpactBps, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type { Quote, TradeRequest } from "@slipway/protocol/transaction";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import { BaseError, ContractFunctionRevertedError, type Hex } from "viem";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3, getProvenManifest, type HeadBlock } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { toRevertError } from "../../transactions/decodeRevert.ts";
import { workWithLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { validitySeconds } from "../../transactions/unsignedResult.ts";

/** A validated trade request; addresses are checksummed. */
export type TradeOrder = Omit<TradeRequest, "token" | "wallet"> & { token: Hex; wallet: Hex };

/** The direction of a trade through the launch's pool. A buy spends the wrapped native asset, a sell receives it. */
export type TradePath = {
  tokenIn: Hex;
  tokenOut: Hex;
  /** The pool receives token0 and pays token1. */
  zeroForOne: boolean;
  /** In hundredths of a basis point. */
  poolFee: number;
};

/** Creates the path of a trade. */
export function createTradePath(launch: IndexedLaunch, manifest: Manifest, side: TradeRequest["side"]): TradePath {
  const wrappedNative = manifest.wrapped_native.address as Hex;
  const isSell = side === "sell";
  return {
    tokenIn: isSell ? launch.token : wrappedNative,
    tokenOut: isSell ? wrappedNative : launch.token,
    zeroForOne: isSell === launch.isToken0,
    poolFee: launch.feeBps * 100,
  };
}

/** The price at which a swap without a price limit stops when the pool has no liquidity left. */
const minSqrtPrice = sqrtPriceX96AtTick(minTick) + 1n;
const maxSqrtPrice = sqrtPriceX96AtTick(maxTick) - 1n;

/** The results of `createQuoteReads`. */
export type QuoteAnswers = {
  quoted: { result?: readonly [bigint, bigint, number, bigint]; error?: Error };
  slot0: readonly [bigint, number, number, number, number, number, boolean];
};

/** Creates the reads for a quote: the quoter's simulation of the swap, and the pool's price before it. */
export function createQuoteReads(launch: IndexedLaunch, manifest: Manifest, path: TradePath, amountIn: bigint) {
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
 * Quotes a trade at the newest block. One round trip.
 *
 * @throws SlipwayError as `toQuote`; `manifest_missing`, `manifest_unverified`, `pool_not_supported`,
 * `chain_unavailable`.
 */
export async function quoteTrade(deps: Pick<Deps, "chain" | "db">, order: TradeOrder): Promise<Quote> {
  const { manifest } = getProvenManifest(deps.chain);
  const { launch, result } = await workWithLaunch(deps, manifest, order.token, async ({ launch }) => {
    const path = createTradePath(launch, manifest, order.side);
    const reads = createQuoteReads(launch, manifest, path, BigInt(order.amount_in));
    return { path, ...(await readAtHead(deps.chain, manifest.chain_id, reads, getMulticall3(manifest))) };
  });
  const { path, head } = result;
  const [quoted, slot0] = result.results;
  if (slot0.error) throw new SlipwayError("chain_unavailable", "The pool could not be read.");
  return toQuote(launch, path, order, { quoted, slot0: slot0.result }, head);
}

/**
 * Creates the quote of a trade at a block, valid for 60 s of block time.
 *
 * @throws SlipwayError `simulation_reverted` when the pool cannot take the whole amount, `amount_too_small` when the
 * minimum after slippage is zero.
 */
export function toQuote(
  launch: IndexedLaunch,
  path: TradePath,
  request: Pick<TradeRequest, "amount_in" | "slippage_bps">,
  answers: QuoteAnswers,
  head: HeadBlock,
): Quote {
  const amountIn = BigInt(request.amount_in);
  const [amountOut] = requireQuoted(answers, path, head);
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
      clampToRange(launch, answers.slot0[0]),
      path.zeroForOne,
      path.poolFee,
    ),
  };
}

/**
 * Returns what the quoter quoted: the other amount, and the pool's price after the swap.
 *
 * @throws SlipwayError `simulation_reverted` when the pool cannot take or give the whole amount.
 */
export function requireQuoted(
  { quoted }: QuoteAnswers,
  path: TradePath,
  head: HeadBlock,
  field: "amount_in" | "amount_out" = "amount_in",
): readonly [bigint, bigint] {
  if (!quoted.result) throw toQuoterError(quoted.error, head, field);
  const [amount, priceAfter] = quoted.result;
  if (priceAfter === (path.zeroForOne ? minSqrtPrice : maxSqrtPrice)) throw createInsufficientLiquidity(head, field);
  return [amount, priceAfter];
}

/** Reasons of the quoter, not the pool: the swap moves nothing, or overflows the pool's integers. */
const unspecificReasons = new Set(["", "Unexpected error"]);

function toQuoterError(error: Error | undefined, head: HeadBlock, field: string): SlipwayError {
  const reverted =
    error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null;
  const { raw = "0x", reason = "" } = (reverted ?? {}) as { raw?: Hex; reason?: string };
  return unspecificReasons.has(reason) ? createInsufficientLiquidity(head, field) : toRevertError(raw, head.number);
}

function createInsufficientLiquidity(head: HeadBlock, field: string): SlipwayError {
  return new SlipwayError("simulation_reverted", "The pool cannot take the whole amount: it has too little to give.", {
    field,
    details: { reason: "insufficient_liquidity", block_number: head.number.toString() },
  });
}

/**
 * Returns the price at which a trade starts: the pool's, or the nearer end of the locked position. The pool's price can
 * be moved through the empty range beside the position at no cost; no trade happens there.
 */
export function clampToRange(launch: Pick<IndexedLaunch, "tickLower" | "tickUpper">, sqrtPriceX96: bigint): bigint {
  const lower = sqrtPriceX96AtTick(launch.tickLower);
  const upper = sqrtPriceX96AtTick(launch.tickUpper);
  return sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96;
}
