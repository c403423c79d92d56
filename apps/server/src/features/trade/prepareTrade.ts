import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { type SignedPermit, swapCall } from "@slipway/protocol/swapCall";
import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type ContractFunctionParameters, type Hex, hexToBigInt, zeroAddress } from "viem";
import type { ReadResult } from "../../chain/aggregate.ts";
import { readAtEndpoints } from "../../chain/readAtEndpoints.ts";
import { type HeadBlock, readCodes } from "../../chain/readChain.ts";
import { toRevertError } from "../../transactions/decodeRevert.ts";
import {
  type Candidate,
  type Context,
  definePreparation,
  type Outcome,
  readContractsAtHead,
  readWithHead,
  type TargetedCall,
} from "../../transactions/preparation.ts";
import { createLockerReads, findLaunchToken, findUniswapContract } from "../../transactions/unfitReceiver.ts";
import { getDeadline, getIssueTime } from "../../transactions/validity.ts";
import { assertQuotedAmounts } from "./assertQuotedAmounts.ts";
import { assertTradeEffects } from "./assertTradeEffects.ts";
import { assertAssetPrice } from "./assetPrice.ts";
import { assertConfirmed, type Confirmations, createConfirmationWarnings } from "./confirmQuote.ts";
import { getTwoPools } from "./quoteAsset.ts";
import {
  createQuote,
  createQuoteReads,
  priceInUsd,
  type QuoteAnswers,
  toPlainQuote,
  type UnpricedQuote,
} from "./quoteTrade.ts";
import { createUnfitRecipient, getLargestInput, requireFitRecipient, type TradeOrder } from "./tradeOrder.ts";
import { createTradePath, type TradePath } from "./tradePath.ts";
import {
  acceptPermit,
  createPermitReads,
  createPermitTemplate,
  getPermitToken,
  offerPermit,
  type PermitAnswers,
  type PermitTemplate,
  refusePermitOfCode,
} from "./tradePermit.ts";
import { createRecipientWarnings, createTradeWarnings } from "./tradeWarnings.ts";

/**
 * Prepares a trade.
 *
 * - As a batch; also as one transaction if one call suffices: a buy with native value, a sell with a permit, or a trade
 *   that the router's allowance covers.
 * - As a transaction: the first call of that batch, which is the exact approval while the allowance is too low, and
 *   then the swap.
 *
 * @throws SlipwayError `pool_not_supported`, `recipient_cannot_receive`, `insufficient_balance`, `amount_too_small`,
 * `signature_invalid`, `quote_expired`, `simulation_reverted`, `asset_unavailable`, `manifest_unverified`,
 * `chain_unavailable` (also if the
 * simulation contradicts the quote).
 */
export const prepareTrade = definePreparation({
  action: "swap",
  tokens: (order: TradeOrder) => [order.token],
  load: async ({ config }) => ({ maxDeviationBps: config.GAS_STATION_MAX_DEVIATION_BPS }),

  read: (context: TradeContext) => {
    const { chain, manifest, order } = context;
    const { launch } = context.launches[0]!;
    const path = createTradePath(chain, launch, manifest, order);
    const router = manifest.uniswap.router.address as Hex;
    const contracts: ContractFunctionParameters[] = [
      ...createQuoteReads(launch, manifest, path, order),
      { address: path.tokenIn, abi: erc20Abi, functionName: "allowance", args: [order.wallet, router] },
      createBalanceRead(path.tokenIn, order.wallet),
    ];
    if (order.shape === "transaction") {
      return readWithHead(readContractsAtHead(context, contracts), () => ({ uniswapContract: null }));
    }
    requireFitRecipient(order, launch, manifest);
    contracts.push(
      ...getRouterAssets(path).map((asset) => createBalanceRead(asset, router)),
      ...createPermitReads(getPermitToken(order, path.asset)?.address ?? launch.token, order.wallet),
      ...createLockerReads(order.recipient, manifest),
    );
    return readWithHead(readContractsAtHead(context, contracts), () => ({
      uniswapContract: findUniswapContract(chain, order.recipient, manifest, "latest"),
    }));
  },

  plan: async (context, read: TradeRead, block) => {
    const { chain, manifest, now, order } = context;
    const { launch } = context.launches[0]!;
    const path = createTradePath(chain, launch, manifest, order);
    const state = parseState(order, path, read);
    if (state.unfitRecipient !== null) throw createUnfitRecipient(order, state.unfitRecipient);
    const paysNative = order.side === "buy" && order.isNative;
    if (order.shape === "transaction") requireBalance(order, path.tokenIn, getLargestInput(order), state.balance);
    const quote = createQuote(launch, path, order, state.quote, { head: block, now });
    if (!paysNative) requireBalance(order, path.tokenIn, BigInt(quote.amount_in), state.balance);
    const router = manifest.uniswap.router.address as Hex;
    const template = createPermitTemplate(
      order,
      getPermitToken(order, path.asset),
      router,
      manifest.chain_id,
      state.permit,
    );
    const issueTime = getIssueTime(now, block);
    const permit = order.permit === null ? null : await acceptPermit(order, template, state.allowance, issueTime);
    const needsApproval = !paysNative && permit === null && state.allowance < getLargestInput(order);
    const swap = createSwap(context, path, quote, permit, block);
    return {
      shape: order.shape,
      candidates: createCandidates(order, swap, path.tokenIn, needsApproval ? state.allowance : null),
      reads: {
        codes: async () =>
          order.shape === "batch" ? await readCodes(chain, [order.wallet, order.recipient], block.number) : noCodes,
        confirmations: async (): Promise<Confirmations> =>
          await readAtEndpoints(chain, manifest, createQuoteReads(launch, manifest, path, order)[0]!, block),
      },
      views: order.shape === "batch" ? getRouterAssets(path).map((asset) => createBalanceView(swap, asset)) : [],
      path,
      state,
      quote,
      template,
      needsApproval,
      paysNative,
    };
  },

  checkReads: ({ context: { order }, plan, answers, nativeBalance }) => {
    if (plan.paysNative) requireBalance(order, zeroAddress, getLargestInput(order), nativeBalance);
    if (answers.codes[0] !== "0x") refusePermitOfCode(order);
    return undefined;
  },

  check: ({ context, plan, answers, calls, simulation, head, ethUsd, loaded }): Outcome<TradeFields> => {
    const { order, manifest } = context;
    const { launch } = context.launches[0]!;
    const { path, state, quote } = plan;
    const router = manifest.uniswap.router.address as Hex;
    const swaps = calls.some(({ to }) => to === router);
    assertConfirmed(answers.confirmations, state.quote.quoted, head);
    if (path.asset !== null)
      assertAssetPrice(path.asset, path.wrappedNative, state.quote.asset!.sqrtPriceX96, ethUsd, loaded.maxDeviationBps);
    if (swaps) {
      assertTradeEffects(simulation, order, path, router, state.routerBalances, BigInt(quote.minimum_out));
      assertQuotedAmounts(simulation, path, manifest.uniswap.router_kind, quote);
    }
    const issues = createIssues(order, plan, router);
    const warnings = [
      ...createTradeWarnings(launch, quote, state.quote.slot0),
      ...createConfirmationWarnings(answers.confirmations),
    ];
    const expected = { amount_out: quote.amount_out, minimum_out: quote.minimum_out };
    if (order.shape === "transaction") {
      const step = swaps ? swapStep : describeApproval(calls[0]!);
      return { ...step, status: "ready", warnings, issues, quote: toPlainQuote(quote), ...(swaps ? { expected } : {}) };
    }
    const [walletCode, recipientCode] = answers.codes;
    const canSignPermit = plan.needsApproval && walletCode === "0x" && getPermitToken(order, path.asset) !== null;
    const permit = canSignPermit ? offerPermit(plan.template, getIssueTime(context.now, head)) : null;
    return {
      status: "ready",
      step: { index: 1, total: 1, description: "Trade before the deadline, within the amounts" },
      next: describeNextRequest(calls.length, permit !== null),
      warnings: [...warnings, ...createRecipientWarnings(order, recipientCode!)],
      expected,
      issues,
      fields: { quote: priceInUsd(quote, ethUsd), permit_typed_data: permit },
    };
  },
});

type TradeContext = Context<TradeOrder>;
type TradeFields = Pick<TradeCallsResult, "quote" | "permit_typed_data">;

const noCodes: readonly Hex[] = ["0x", "0x"];

type TradeRead = { state: readonly ReadResult[]; beside: { uniswapContract: string | null } };

/** The contracts' state at the head. Amounts in base units. */
export type TradeState = {
  quote: QuoteAnswers;
  /** The wallet's balance of the input asset. */
  balance: bigint;
  /** The router's allowance for the input asset. */
  allowance: bigint;
  /**
   * The router's balances before the trade, by asset; empty in the shape of a transaction, which does not read them.
   */
  routerBalances: { asset: Hex; amount: bigint }[];
  permit: PermitAnswers;
  /** The kind of a recipient that cannot pass on received assets, as a noun phrase; null when it can. */
  unfitRecipient: string | null;
};

/** Parses the results of the preparation's reads. @throws SlipwayError `chain_unavailable`. */
function parseState(order: TradeOrder, path: TradePath, { state: results, beside }: TradeRead): TradeState {
  const [quoted, slot0, ...others] = results;
  const [firstSwap, assetSlot0] = path.asset === null ? [] : others.splice(0, 2);
  const [allowance, balance, ...rest] = others;
  const asset = path.asset === null ? null : { firstSwap, sqrtPriceX96: (requireRead(assetSlot0) as [bigint])[0] };
  const quote = { quoted, slot0: requireRead(slot0), asset } as QuoteAnswers;
  const wallet = { balance: requireRead(balance) as bigint, allowance: requireRead(allowance) as bigint };
  if (order.shape === "transaction") {
    return { quote, ...wallet, routerBalances: [], permit: noPermit, unfitRecipient: null };
  }
  const assets = getRouterAssets(path);
  const amounts = rest.splice(0, assets.length).map((read) => requireRead(read) as bigint);
  const [nonces, name, separator, ...lockers] = rest;
  return {
    quote,
    ...wallet,
    routerBalances: assets.map((held, i) => ({ asset: held, amount: amounts[i]! })),
    permit: [nonces, name, separator] as unknown as PermitAnswers,
    unfitRecipient: findLaunchToken(lockers) ?? beside.uniswapContract,
  };
}

/** The assets of a trade of which nothing may remain in the router. */
const getRouterAssets = ({ tokenIn, tokenOut, wrappedNative, asset }: TradePath): Hex[] =>
  asset === null ? [tokenIn, tokenOut] : [tokenIn, tokenOut, wrappedNative];

const noPermit: PermitAnswers = [{}, {}, {}];

function requireRead(read: ReadResult | undefined): unknown {
  if (read?.status === "success") return read.result;
  throw new SlipwayError("chain_unavailable", "The pool or the token could not be read.");
}

function createBalanceRead(address: Hex, account: Hex): ContractFunctionParameters {
  return { address, abi: erc20Abi, functionName: "balanceOf", args: [account] };
}

/** Creates the read of the router's balance after the trade. */
const createBalanceView = (swap: TargetedCall, asset: Hex): TargetedCall => ({
  from: swap.from,
  to: asset,
  data: encodeCall({ abi: erc20Abi, functionName: "balanceOf", args: [swap.to] }),
  value: 0n,
});

/**
 * @param needed - The required amount: of native, the value of the transaction; of a token, the cost of the trade.
 * @throws SlipwayError `insufficient_balance`.
 */
function requireBalance({ amounts }: TradeOrder, asset: Hex, needed: bigint, available: bigint): void {
  if (available >= needed) return;
  throw new SlipwayError("insufficient_balance", "The wallet's balance is below the amount.", {
    field: amounts.exact === "input" ? "amount_in" : "maximum_in",
    details: { asset, needed: needed.toString(), available: available.toString() },
  });
}

function createSwap(
  { manifest, now, order }: TradeContext,
  path: TradePath,
  quote: Pick<UnpricedQuote, "minimum_out">,
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
        ...(path.asset === null ? { fee: path.poolFee } : getTwoPools(path, path.asset)),
        recipient,
        deadline: getDeadline(now, head),
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

/**
 * Creates the batches to try, in order: the swap, after an approval of exactly the largest input if the router's
 * allowance is too low; and the same after an approval of zero, for a token that refuses to change a nonzero allowance
 * (USDT's rule). As a transaction: only the first call of each batch.
 *
 * @param allowance - The allowance that is too low; null if the swap needs no approval.
 */
function createCandidates(order: TradeOrder, swap: TargetedCall, token: Hex, allowance: bigint | null): Candidate[] {
  if (allowance === null) return [{ calls: [swap] }];
  const approve = createApproval(swap, token, getLargestInput(order));
  const reset = createApproval(swap, token, 0n);
  const batches =
    allowance === 0n
      ? [[approve, swap]]
      : [
          [approve, swap],
          [reset, approve, swap],
        ];
  if (order.shape === "batch") return batches.map((calls) => ({ calls }));
  return batches.map(([first]) => ({
    calls: [first!],
    check: ({ returnData, blockNumber }) => {
      // Some tokens return false instead of reverting; some return nothing, which counts as success.
      if (returnData === "0x" || hexToBigInt(returnData.slice(0, 66) as Hex) !== 0n) return;
      throw toRevertError("0x", blockNumber);
    },
  }));
}

const createApproval = (swap: TargetedCall, token: Hex, amount: bigint): TargetedCall => ({
  from: swap.from,
  to: token,
  data: encodeCall({ abi: erc20Abi, functionName: "approve", args: [swap.to, amount] }),
  value: 0n,
});

type PlannedTrade = {
  path: TradePath;
  state: TradeState;
  template: PermitTemplate;
  needsApproval: boolean;
  paysNative: boolean;
};

function createIssues(
  order: TradeOrder,
  { path, state: { allowance, balance }, needsApproval, paysNative }: PlannedTrade,
  spender: Hex,
) {
  const largest = getLargestInput(order);
  const needed = { asset: path.tokenIn, needed: largest.toString() };
  return {
    ...(needsApproval ? { allowance: { ...needed, available: allowance.toString(), spender } } : {}),
    // The cost of an exact output can rise above the wallet's balance.
    ...(!paysNative && balance < largest ? { balance: { ...needed, available: balance.toString() } } : {}),
  };
}

type Step = Pick<Outcome, "action" | "step" | "next">;

const swapStep: Step = {
  action: "swap",
  step: { index: 2, total: 2, description: "Swap before the deadline, for at least the minimum" },
  next: null,
};

function describeApproval({ data }: { data: Hex }): Step {
  const isReset = hexToBigInt(`0x${data.slice(-64)}`) === 0n;
  const description = isReset
    ? "Reset the allowance to zero first: this token refuses to change a nonzero allowance"
    : "Approve the router for exactly the amount";
  return {
    action: "approve",
    step: { index: 1, total: isReset ? 3 : 2, description },
    next: "POST /trade/transactions with the same body, after the receipt",
  };
}

function describeNextRequest(calls: number, canSignPermit: boolean): string | null {
  if (calls === 1) return null;
  const batch = "Send calls as one atomic batch (wallet_sendCalls)";
  if (!canSignPermit) return `${batch}, or one after the other`;
  return `${batch}, or sign permit_typed_data and POST /trade/calls again with permit, which gives one transaction`;
}
