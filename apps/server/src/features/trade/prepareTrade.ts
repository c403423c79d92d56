import { SlipwayError } from "@slipway/protocol/errors";
import { positionAmounts, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type { Quote, UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { swapCall } from "@slipway/protocol/swapCall";
import { erc20Abi } from "@slipway/protocol/uniswap";
import type { Hex } from "viem";
import { readAtHead } from "../../chain/readAtHead.ts";
import { type ProvenManifest, readAccount, getMulticall3 } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { findLatestEthUsd, type IndexedLaunch, loadSupportedLaunch } from "../../transactions/queries.ts";
import { simulate, type Simulation } from "../../transactions/simulate.ts";
import { readL1Gas, createReadyResult, unwrapSettled, validitySeconds } from "../../transactions/unsignedResult.ts";
import { createQuoteReads, createTradePath, type QuoteAnswers, toQuote, type TradeOrder } from "./quoteTrade.ts";
import { simulateApproval } from "./simulateApproval.ts";

/**
 * Prepares the next transaction of a trade: the exact approval while the router's allowance is too low, then the swap.
 * Two round trips: the head with quote, allowance and balance at its block; the simulation.
 *
 * @throws SlipwayError `pool_not_supported`, `insufficient_balance`, `amount_too_small`, `simulation_reverted`,
 * `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareTrade(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: TradeOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  const { launch } = await loadSupportedLaunch(deps.db.read, order.token, manifest);
  const path = createTradePath(launch, manifest, order.side);
  const router = manifest.uniswap.router.address as Hex;
  const amountIn = BigInt(order.amount_in);

  const tokenIn = { address: path.tokenIn, abi: erc20Abi } as const;
  const [{ head, results }, ethUsd] = await Promise.all([
    readAtHead(
      deps.chain,
      manifest.chain_id,
      [
        ...createQuoteReads(launch, manifest, path, amountIn),
        { ...tokenIn, functionName: "allowance", args: [order.wallet, router] },
        { ...tokenIn, functionName: "balanceOf", args: [order.wallet] },
      ],
      getMulticall3(manifest),
    ),
    findLatestEthUsd(deps.db.read),
  ]);
  const [quoted, slot0, allowance, balance] = results;
  if (slot0.error || allowance.error || balance.error) {
    throw new SlipwayError("chain_unavailable", "The pool or the token could not be read.");
  }
  if (balance.result < amountIn) throw createInsufficientBalance(path.tokenIn, amountIn, balance.result);
  const quote = toQuote(launch, path, order, { quoted, slot0: slot0.result }, head);
  const warnings = createTradeWarnings(launch, quote, slot0.result);
  const shared = { proven, head, requestId, quote, warnings, ethUsd };

  if (allowance.result < amountIn) {
    const requested = { token: path.tokenIn, spender: router, amount: amountIn, current: allowance.result };
    const [approved, read] = await Promise.allSettled([
      simulateApproval(deps.chain, manifest.chain_id, order.wallet, requested, head),
      readAccount(deps.chain, order.wallet, head),
    ]);
    const { nativeBalance } = unwrapSettled(read);
    const approval = unwrapSettled(approved);
    const description = approval.isReset
      ? "Take back the old allowance: this token refuses to change one that is not zero"
      : "Approve the router for exactly the amount";
    return createReadyResult({
      ...shared,
      ...approval,
      nativeBalance,
      action: "approve",
      step: { index: 1, total: approval.isReset ? 3 : 2, description },
      next: "POST /trade/transactions with the same body, after the receipt",
      issues: {
        allowance: {
          asset: path.tokenIn,
          needed: amountIn.toString(),
          available: allowance.result.toString(),
          spender: router,
        },
      },
    });
  }

  const call = {
    from: order.wallet,
    to: router,
    data: swapCall(manifest.uniswap.router_kind, {
      tokenIn: path.tokenIn,
      tokenOut: path.tokenOut,
      fee: path.poolFee,
      recipient: order.wallet,
      deadline: head.timestamp + validitySeconds,
      amounts: { exact: "input", amountIn, minimumOut: BigInt(quote.minimum_out) },
    }),
    value: 0n,
  };
  // In one round trip; a head that was replaced takes precedence over an error of the simulation.
  const [simulated, l1, read] = await Promise.allSettled([
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
    readAccount(deps.chain, order.wallet, head),
  ]);
  const { nativeBalance } = unwrapSettled(read);
  const simulation = unwrapSettled(simulated);
  assertOnlySwaps(simulation, order.wallet, quote);
  return createReadyResult({
    ...shared,
    action: "swap",
    call,
    simulation,
    l1Gas: unwrapSettled(l1),
    nativeBalance,
    step: { index: 2, total: 2, description: "Swap before the deadline, for at least the minimum" },
    next: null,
    expected: { amount_out: quote.amount_out, minimum_out: quote.minimum_out },
  });
}

/** @param field - The field of the request that names the amount. */
export function createInsufficientBalance(
  asset: Hex,
  needed: bigint,
  available: bigint,
  field = "amount_in",
): SlipwayError {
  return new SlipwayError("insufficient_balance", "The wallet does not hold the amount.", {
    field,
    details: { asset, needed: needed.toString(), available: available.toString() },
  });
}

const isSameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Asserts that the simulated swap takes at most the amount and no other asset from the wallet, and pays at least the
 * minimum to it. It takes less when the router holds native, which it spends first. Where the node reports no transfers,
 * only the router's own checks apply, and the result has the warning `asset_changes_unknown`.
 *
 * @throws SlipwayError `simulation_reverted`.
 */
function assertOnlySwaps(simulation: Simulation, wallet: string, quote: Quote): void {
  if (!simulation.areAssetChangesKnown) return;
  let spent = 0n;
  let received = 0n;
  let movesOtherAsset = false;
  for (const { asset, from, to, amount } of simulation.assetChanges) {
    if (isSameAddress(from, wallet)) {
      if (isSameAddress(asset, quote.token_in)) spent += BigInt(amount);
      else movesOtherAsset = true;
    }
    if (isSameAddress(to, wallet) && isSameAddress(asset, quote.token_out)) received += BigInt(amount);
  }
  if (!movesOtherAsset && spent <= BigInt(quote.amount_in) && received >= BigInt(quote.minimum_out)) return;
  throw new SlipwayError("simulation_reverted", "The simulated swap moves something else than was asked for.", {
    details: { spent: spent.toString(), received: received.toString() },
  });
}

/** With less wrapped native in the locked position any sale moves the price strongly. */
const minQuoteSideInWei = 10n ** 17n;
const highImpactBps = 500;

/** Creates the warnings of a quote. */
export function createTradeWarnings(
  launch: IndexedLaunch,
  quote: Pick<Quote, "price_impact_bps">,
  slot0: QuoteAnswers["slot0"],
): Warning[] {
  const warnings: Warning[] = [];
  const [sqrtPriceX96, , , , , protocolFee] = slot0;
  const position = positionAmounts(
    launch.liquidity,
    sqrtPriceX96,
    sqrtPriceX96AtTick(launch.tickLower),
    sqrtPriceX96AtTick(launch.tickUpper),
  );
  const quoteSide = launch.isToken0 ? position.amount1 : position.amount0;
  if (quoteSide < minQuoteSideInWei) {
    warnings.push({
      code: "thin_liquidity",
      message: `The pool holds ${quoteSide} wei of the wrapped native asset; later sales may find little to take.`,
    });
  }
  if (quote.price_impact_bps !== null && quote.price_impact_bps > highImpactBps) {
    warnings.push({
      code: "high_price_impact",
      message: `The trade moves the price: it yields ${quote.price_impact_bps} bp less than the pool's price.`,
    });
  }
  if (protocolFee !== 0) {
    warnings.push({
      code: "pool_protocol_fee_active",
      message: "Uniswap's protocol fee is on for this pool: it comes out of the liquidity's share of the fee.",
    });
  }
  return warnings;
}
