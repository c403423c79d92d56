import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { positionAmounts, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { swapCall } from "@slipway/protocol/swapCall";
import type { Quote, UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type Hex, stringify } from "viem";
import { type StateAtHead, workWithState } from "../../chain/atHead.ts";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3, type HeadBlock, type ProvenManifest, readBalance } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { workWithLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import { createReadyResult, readL1Gas, unwrapSettled, validitySeconds } from "../../transactions/unsignedResult.ts";
import {
  createQuoteReads,
  createTradePath,
  type QuoteAnswers,
  type TradeOrder,
  type TradePath,
  toQuote,
} from "./quoteTrade.ts";
import { simulateApproval } from "./simulateApproval.ts";

/**
 * Prepares the next transaction of a trade: the exact approval while the router's allowance is too low, then the swap.
 * Two round trips, or one (`workWithState`): the head with quote, allowance and balance at its block; the simulation.
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
  const { chain } = deps;
  const { manifest } = proven;
  const key = { key: `trade ${stringify(order)}` };
  const { launch, ethUsd, result } = await workWithLaunch(deps, manifest, order.token, async ({ launch }) => {
    const path = createTradePath(launch, manifest, order.side);
    const read = async () => await readSwapState(chain, manifest, launch, path, order);
    const work = async (block: HeadBlock, state: SwapState) =>
      await simulateStep(chain, manifest, launch, path, order, block, state);
    return await workWithState(chain, key, read, work);
  });
  const { head, state } = result;
  const { quote, step } = result.result;
  const { nativeBalance } = step;
  const warnings = createTradeWarnings(launch, quote, state.answers.slot0);
  const shared = { proven, head, requestId, quote, warnings, ethUsd, nativeBalance };
  if (step.kind === "approval") {
    const { approval } = step;
    const description = approval.isReset
      ? "Take back the old allowance: this token refuses to change one that is not zero"
      : "Approve the router for exactly the amount";
    return createReadyResult({
      ...shared,
      ...approval,
      action: "approve",
      step: { index: 1, total: approval.isReset ? 3 : 2, description },
      next: "POST /trade/transactions with the same body, after the receipt",
      issues: {
        allowance: {
          asset: quote.token_in as Hex,
          needed: quote.amount_in,
          available: state.allowance.toString(),
          spender: manifest.uniswap.router.address as Hex,
        },
      },
    });
  }
  assertOnlySwaps(step.simulation, order.wallet, quote);
  return createReadyResult({
    ...shared,
    action: "swap",
    call: step.call,
    simulation: step.simulation,
    l1Gas: step.l1Gas,
    step: { index: 2, total: 2, description: "Swap before the deadline, for at least the minimum" },
    next: null,
    expected: { amount_out: quote.amount_out, minimum_out: quote.minimum_out },
  });
}

/** The contracts' state at the head, as far as a swap needs it. Amounts in base units. */
type SwapState = { answers: QuoteAnswers; allowance: bigint; balance: bigint };

/** Reads the head and the contracts of a swap at it. One round trip. @throws SlipwayError `chain_unavailable`. */
async function readSwapState(
  chain: Deps["chain"],
  manifest: Manifest,
  launch: IndexedLaunch,
  path: TradePath,
  order: TradeOrder,
): Promise<StateAtHead<SwapState>> {
  const tokenIn = { address: path.tokenIn, abi: erc20Abi } as const;
  const reads = [
    ...createQuoteReads(launch, manifest, path, BigInt(order.amount_in)),
    { ...tokenIn, functionName: "allowance", args: [order.wallet, manifest.uniswap.router.address as Hex] },
    { ...tokenIn, functionName: "balanceOf", args: [order.wallet] },
  ] as const;
  const { head, results, isOneRound } = await readAtHead(chain, manifest.chain_id, reads, getMulticall3(manifest));
  const [quoted, slot0, allowance, balance] = results;
  if (slot0.error || allowance.error || balance.error) {
    throw new SlipwayError("chain_unavailable", "The pool or the token could not be read.");
  }
  return {
    ...{ head, isOneRound },
    state: { answers: { quoted, slot0: slot0.result }, allowance: allowance.result, balance: balance.result },
  };
}

/** Simulates the next transaction of a trade at a block: the approval that the swap lacks, or the swap. One round trip. */
async function simulateStep(
  chain: Deps["chain"],
  manifest: Manifest,
  launch: IndexedLaunch,
  path: TradePath,
  order: TradeOrder,
  block: HeadBlock,
  { answers, allowance, balance }: SwapState,
) {
  const { wallet } = order;
  const amountIn = BigInt(order.amount_in);
  if (balance < amountIn) throw createInsufficientBalance(path.tokenIn, amountIn, balance);
  const quote = toQuote(launch, path, order, answers, block);
  const router = manifest.uniswap.router.address as Hex;
  if (allowance < amountIn) {
    const requested = { token: path.tokenIn, spender: router, amount: amountIn, current: allowance };
    const [approved, read] = await Promise.allSettled([
      simulateApproval(chain, manifest.chain_id, wallet, requested, block),
      readBalance(chain, wallet, block),
    ]);
    const nativeBalance = unwrapSettled(read);
    return { quote, step: { kind: "approval" as const, nativeBalance, approval: unwrapSettled(approved) } };
  }

  const call = {
    from: wallet,
    to: router,
    data: swapCall(manifest.uniswap.router_kind, {
      tokenIn: path.tokenIn,
      tokenOut: path.tokenOut,
      fee: path.poolFee,
      recipient: wallet,
      deadline: block.timestamp + validitySeconds,
      amounts: { exact: "input", amountIn, minimumOut: BigInt(quote.minimum_out) },
    }),
    value: 0n,
  };
  // In one round trip; a head that was replaced takes precedence over an error of the simulation.
  const [simulated, l1, read] = await Promise.allSettled([
    simulate(chain, call, block),
    readL1Gas(chain, manifest.chain_id, call, block),
    readBalance(chain, wallet, block),
  ]);
  const nativeBalance = unwrapSettled(read);
  const simulation = unwrapSettled(simulated);
  return {
    quote,
    step: { kind: "swap" as const, nativeBalance, call, simulation, l1Gas: unwrapSettled(l1) },
  };
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
