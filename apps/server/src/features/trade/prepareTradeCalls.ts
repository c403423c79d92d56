import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { type SignedPermit, swapCall } from "@slipway/protocol/swapCall";
import type { TradeCallsQuote, TradeCallsResult } from "@slipway/protocol/tradeCalls";
import type { Warning } from "@slipway/protocol/transaction";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type Hex, stringify, zeroAddress } from "viem";
import { workWithState } from "../../chain/atHead.ts";
import { type HeadBlock, type ProvenManifest, readBalance, readCodes } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { workWithLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type BatchSimulation, type Call, simulateBatch } from "../../transactions/simulate.ts";
import { createReadyBatch, readL1Gas, unwrapSettled, validitySeconds } from "../../transactions/unsignedResult.ts";
import { assertTradeEffects } from "./assertTradeEffects.ts";
import { createInsufficientBalance, createTradeWarnings } from "./prepareTrade.ts";
import { createTradePath, type TradePath } from "./quoteTrade.ts";
import { priceInUsd, toCallsQuote } from "./quoteTradeCalls.ts";
import { readTradeState, type TradeState } from "./readTradeState.ts";
import { createUnfitRecipient, getLargestInput, requireFitRecipient, type TradeCallsOrder } from "./tradeCallsOrder.ts";
import { acceptPermit, createPermitTemplate, offerPermit, refusePermitOfCode } from "./tradePermit.ts";

/**
 * Prepares a trade as one batch of calls, and as one transaction where one can do it: a buy with native value, a sell
 * with a permit, a trade that the router's allowance covers. Two round trips, or one (`workWithState`): the head with the
 * contracts at its block; the simulation of the whole batch, with the wallet and the recipient.
 *
 * @throws SlipwayError `pool_not_supported`, `recipient_cannot_receive`, `insufficient_balance`, `amount_too_small`,
 * `signature_invalid`, `quote_expired`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareTradeCalls(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: TradeCallsOrder,
  requestId: string,
): Promise<TradeCallsResult> {
  const { chain } = deps;
  const { manifest } = proven;
  const router = manifest.uniswap.router.address as Hex;
  const key = { key: `trade calls ${stringify(order)}` };

  const { launch, ethUsd, result } = await workWithLaunch(deps, manifest, order.token, async ({ launch }) => {
    requireFitRecipient(order, launch, manifest);
    const path = createTradePath(launch, manifest, order.side);
    const read = async () => await readTradeState(chain, manifest, launch, path, order);
    const work = async (block: HeadBlock, state: TradeState) =>
      await simulateTrade(chain, manifest, launch, path, order, block, state);
    return { path, ...(await workWithState(chain, key, read, work)) };
  });
  const { path, head, state } = result;
  const { unpriced, template, needsApproval, paysNative, hasCode, recipientCode, nativeBalance, batch } = result.result;
  const { calls, simulation, l1Gas } = batch;
  assertTradeEffects(simulation, order, path, router, state.routerBalances, BigInt(unpriced.minimum_out));
  const canSignPermit = needsApproval && order.side === "sell" && !hasCode;
  const permitTypedData = canSignPermit ? offerPermit(template, head) : null;

  const ready = createReadyBatch({
    action: "swap",
    proven,
    head,
    requestId,
    calls,
    simulation,
    l1Gas,
    ethUsd,
    nativeBalance,
    step: { index: 1, total: 1, description: "Trade before the deadline, within the amounts" },
    next: describeNextStep(calls.length, permitTypedData !== null),
    warnings: [
      ...createTradeWarnings(launch, unpriced, state.answers.slot0),
      ...createRecipientWarnings(order, recipientCode),
    ],
    expected: { amount_out: unpriced.amount_out, minimum_out: unpriced.minimum_out },
    issues: createIssues(order, path, router, state, { needsApproval, paysNative }),
  });
  return { ...ready, quote: priceInUsd(unpriced, ethUsd), permit_typed_data: permitTypedData };
}

/** Plans the calls of a trade from what was read at a block, and simulates them there. One round trip. */
async function simulateTrade(
  chain: Deps["chain"],
  manifest: Manifest,
  launch: IndexedLaunch,
  path: TradePath,
  order: TradeCallsOrder,
  block: HeadBlock,
  state: TradeState,
) {
  const { wallet, recipient } = order;
  if (state.unfitRecipient !== null) throw createUnfitRecipient(order, state.unfitRecipient);
  const unpriced = toCallsQuote(launch, path, order, state.answers, block);
  const paysNative = order.side === "buy" && order.isNative;
  if (!paysNative) requireBalance(order, path.tokenIn, BigInt(unpriced.amount_in), state.balance);
  const router = manifest.uniswap.router.address as Hex;
  const template = createPermitTemplate(order, router, manifest.chain_id, state.permit);
  const permit = order.permit === null ? null : await acceptPermit(order, template, state.allowance, block);
  const needsApproval = !paysNative && permit === null && state.allowance < getLargestInput(order);

  const swap = createSwap(manifest, path, order, unpriced, permit, block);
  const candidates = createCandidates(swap, path.tokenIn, needsApproval ? order : null, state.allowance);
  // In one round trip; an error of the wallet takes precedence over an error of the simulation.
  const [simulated, codes, read] = await Promise.allSettled([
    simulateCandidates(chain, manifest, candidates, state, block),
    readCodes(chain, [wallet, recipient], block.number),
    readBalance(chain, wallet, block),
  ]);
  const nativeBalance = unwrapSettled(read);
  if (paysNative) requireBalance(order, zeroAddress, swap.value, nativeBalance);
  const [walletCode, recipientCode] = unwrapSettled(codes);
  const hasCode = walletCode !== "0x";
  if (hasCode) refusePermitOfCode(order);
  const batch = unwrapSettled(simulated);
  return {
    unpriced,
    template,
    needsApproval,
    paysNative,
    hasCode,
    recipientCode: recipientCode!,
    nativeBalance,
    batch,
  };
}

/**
 * @param needed - The value of a transaction; of a token, what the trade costs.
 * @throws SlipwayError `insufficient_balance`.
 */
function requireBalance({ amounts }: TradeCallsOrder, asset: Hex, needed: bigint, available: bigint): void {
  if (available >= needed) return;
  const field = amounts.exact === "input" ? "amount_in" : "maximum_in";
  throw createInsufficientBalance(asset, needed, available, field);
}

function createSwap(
  manifest: Manifest,
  path: TradePath,
  order: TradeCallsOrder,
  quote: Pick<TradeCallsQuote, "minimum_out">,
  permit: SignedPermit | null,
  head: HeadBlock,
): TargetedCall {
  const { amounts, isNative, side, wallet, recipient } = order;
  const paysNative = side === "buy" && isNative;
  return {
    from: wallet,
    to: manifest.uniswap.router.address as Hex,
    data: swapCall(
      manifest.uniswap.router_kind,
      {
        tokenIn: path.tokenIn,
        tokenOut: path.tokenOut,
        fee: path.poolFee,
        recipient,
        deadline: head.timestamp + validitySeconds,
        amounts:
          amounts.exact === "input"
            ? { exact: "input", amountIn: amounts.amountIn, minimumOut: BigInt(quote.minimum_out) }
            : amounts,
      },
      { permit, paysNative, receivesNative: side === "sell" && isNative },
    ),
    value: paysNative ? getLargestInput(order) : 0n,
  };
}

type TargetedCall = Call & { to: Hex };

/**
 * Creates the batches to try, in their order: the swap, after an approval of exactly the largest input where the router's
 * allowance does not cover it; and the same after an approval of zero, for a token that rejects a change of an allowance
 * that is not zero (USDT's rule).
 *
 * @param unapproved - The order whose input must be approved, or null.
 */
function createCandidates(
  swap: TargetedCall,
  token: Hex,
  unapproved: TradeCallsOrder | null,
  allowance: bigint,
): TargetedCall[][] {
  if (unapproved === null) return [[swap]];
  const approve = (amount: bigint): TargetedCall => ({
    from: swap.from,
    to: token,
    data: encodeCall({ abi: erc20Abi, functionName: "approve", args: [swap.to, amount] }),
    value: 0n,
  });
  const batch = [approve(getLargestInput(unapproved)), swap];
  return allowance === 0n ? [batch] : [batch, [approve(0n), ...batch]];
}

type SimulatedBatch = { calls: TargetedCall[]; simulation: BatchSimulation; l1Gas: (bigint | null)[] };

/** Simulates the batches in one round trip and returns the first that succeeds. @throws the error of the first. */
async function simulateCandidates(
  chain: Deps["chain"],
  manifest: Manifest,
  candidates: TargetedCall[][],
  { routerBalances }: TradeState,
  head: HeadBlock,
): Promise<SimulatedBatch> {
  const router = manifest.uniswap.router.address as Hex;
  const simulateOne = async (calls: TargetedCall[]): Promise<SimulatedBatch> => {
    const reads = routerBalances.map(({ asset }) => ({
      from: calls[0]!.from,
      to: asset,
      data: encodeCall({ abi: erc20Abi, functionName: "balanceOf", args: [router] }),
      value: 0n,
    }));
    const [simulation, l1Gas] = await Promise.all([
      simulateBatch(chain, calls, reads, head),
      Promise.all(calls.map((call) => readL1Gas(chain, manifest.chain_id, call, head))),
    ]);
    return { calls, simulation, l1Gas };
  };
  const settled = await Promise.allSettled(candidates.map(simulateOne));
  const first = settled[0]!;
  if (first.status === "fulfilled") return first.value;
  const isReverted = first.reason instanceof SlipwayError && first.reason.code === "simulation_reverted";
  const other = settled.find((result) => result.status === "fulfilled");
  if (isReverted && other) return other.value;
  throw first.reason;
}

function createIssues(
  order: TradeCallsOrder,
  { tokenIn }: TradePath,
  spender: Hex,
  { allowance, balance }: TradeState,
  { needsApproval, paysNative }: { needsApproval: boolean; paysNative: boolean },
) {
  const largest = getLargestInput(order);
  const needed = { asset: tokenIn, needed: largest.toString() };
  return {
    ...(needsApproval ? { allowance: { ...needed, available: allowance.toString(), spender } } : {}),
    // Of an exact output, whose price may rise until the wallet cannot pay it.
    ...(!paysNative && balance < largest ? { balance: { ...needed, available: balance.toString() } } : {}),
  };
}

function describeNextStep(calls: number, canSignPermit: boolean): string | null {
  if (calls === 1) return null;
  const batch = "Send calls as one atomic batch (wallet_sendCalls)";
  if (!canSignPermit) return `${batch}, or one after the other`;
  return `${batch}, or sign permit_typed_data and POST /trade/calls again with permit, which gives one transaction`;
}

/** An account that delegates to code (EIP-7702) can send what it receives. */
const delegationPrefix = "0xef0100";

function createRecipientWarnings({ wallet, recipient }: TradeCallsOrder, code: Hex): Warning[] {
  if (recipient === wallet || code === "0x" || code.toLowerCase().startsWith(delegationPrefix)) return [];
  return [
    {
      code: "recipient_is_contract",
      message: `The recipient ${recipient} is a contract: what it is paid is lost unless it can pass tokens on.`,
    },
  ];
}
