import { decodeFunctionData, type Hex, zeroAddress } from "viem";
import { canonicalJson } from "../canonicalJson.ts";
import { encodeCall } from "../encodeCall.ts";
import { feeTiersBps, toPoolFee } from "../feeTiers.ts";
import { minimumOut } from "../poolMath.ts";
import { maxClockLeadSeconds, permitTypes, permitValiditySeconds } from "../signedTypes.ts";
import { type RouterKind, type SignedPermit, type SwapAmounts, swapCall } from "../swapCall.ts";
import type { TradeCallsRequest, TradeCallsResult } from "../tradeCalls.ts";
import type { Quote, UnsignedTransaction } from "../transaction.ts";
import { erc20Abi, routerPaymentsAbi, swapRouter02Abi, swapRouterAbi } from "../uniswap.ts";
import { type AskedCall, type Check, type Contracts, checkAddress, checkEqual, isSame, listCalls } from "./check.ts";
import type { AllowedChanges } from "./envelope.ts";

/** The used part of the results of `POST /trade/calls`, and of `POST /trade/transactions`, which has no `calls`. */
export type PreparedTrade = {
  transaction: UnsignedTransaction | null;
  calls?: readonly AskedCall[];
  quote?: PreparedQuote | undefined;
  permit_typed_data?: TradeCallsResult["permit_typed_data"];
};

type PreparedQuote = Pick<
  Quote,
  "token_in" | "token_out" | "amount_in" | "amount_out" | "minimum_out" | "expires_at"
> & {
  settlement: string;
  slippage_bps: number | null;
  maximum_in?: string | undefined;
};

/** The terms that a request determines. Addresses in lower case, amounts in base units. */
type Terms = {
  tokenIn: Hex;
  tokenOut: Hex;
  recipient: Hex;
  router: string | undefined;
  paysNative: boolean;
  receivesNative: boolean;
  /** The maximum that the trade spends. */
  largestIn: bigint;
  /** The accepted swap; of an exact input, the minimum follows from the quote. */
  amounts: SwapAmounts;
  permit: SignedPermit | null;
  /** The accepted fees of the launch's pool, in hundredths of a basis point. */
  poolFees: number[];
  /** The wrapped native between the two pools of a trade in another asset; null for a trade through one pool. */
  middle: Hex | null;
  /** Whether the launch's pool is the second one. */
  endsAtLaunch: boolean;
  /** The fee of the asset's pool, in hundredths of a basis point; null accepts any. */
  assetFee: number | null;
  settlement: string;
};

const toLower = (address: string) => address.toLowerCase() as Hex;

function getTerms(
  request: TradeCallsRequest,
  quote: PreparedTrade["quote"],
  contracts: Contracts,
  feeBps: number | null = null,
  assetFee: number | null = null,
): Terms {
  const { side, wallet, recipient, pay, receive } = request;
  const token = toLower(request.token);
  const wrapped = toLower(contracts.wrapped_native ?? "");
  const settled = side === "buy" ? pay : receive;
  const asset = typeof settled === "object" ? toLower(settled.asset) : null;
  const paid = asset ?? wrapped;
  const [tokenIn, tokenOut] = side === "buy" ? [paid, token] : [token, paid];
  const largestIn = BigInt(request.amount_in ?? request.maximum_in!);
  return {
    tokenIn,
    tokenOut,
    recipient: toLower(recipient ?? wallet),
    router: contracts.uniswap_router,
    paysNative: side === "buy" && pay === "native",
    receivesNative: side === "sell" && receive === "native",
    largestIn,
    amounts:
      request.amount_in === undefined
        ? { exact: "output", amountOut: BigInt(request.amount_out!), maximumIn: largestIn }
        : {
            exact: "input",
            amountIn: largestIn,
            minimumOut: minimumOut(BigInt(quote?.amount_out ?? "0"), request.slippage_bps!),
          },
    permit: request.permit ? toPermit(request.permit, largestIn) : null,
    poolFees: (feeBps === null ? feeTiersBps : [feeBps]).map(toPoolFee),
    middle: asset === null ? null : wrapped,
    endsAtLaunch: side === "buy",
    assetFee,
    settlement: asset !== null ? "asset" : settled === "native" ? "native" : "wrapped_native",
  };
}

/** Splits a signature of 65 bytes. `v` of 0 and 1 mean 27 and 28. */
function toPermit({ deadline, signature }: NonNullable<TradeCallsRequest["permit"]>, value: bigint): SignedPermit {
  const part = (from: number, to: number) => `0x${signature.slice(2 + from * 2, 2 + to * 2).toLowerCase()}` as Hex;
  const v = Number(part(64, 65));
  return { value, deadline: BigInt(deadline), v: v < 27 ? v + 27 : v, r: part(0, 32), s: part(32, 64) };
}

/**
 * Compares a prepared trade with its request: one swap by the deployment's router, for at least the quote's output less
 * the slippage or at most the maximum input, until the quote's expiry in block time, paid to the recipient; before the swap at
 * most the exact approval; and at most the permit for exactly the sold amount. Everything else fails.
 *
 * @param feeBps - The fee tier of the launch in basis points; null accepts the pool of any tier, which the quoted amounts
 *   then bound.
 * @param assetFee - The fee of the pool of the manifest's asset, in hundredths of a basis point; null accepts any pool of
 *   the asset, which the quoted amounts then bound.
 */
export function checkTrade(
  answer: PreparedTrade,
  request: TradeCallsRequest,
  contracts: Contracts,
  feeBps: number | null = null,
  assetFee: number | null = null,
): Check[] {
  const { quote, permit_typed_data: permit = null } = answer;
  const terms = getTerms(request, quote, contracts, feeBps, assetFee);
  const expiry = BigInt(quote?.expires_at ?? 0);
  const asked = listCalls(answer);
  const approvals = asked.filter((call) => isExactApproval(call, terms));
  const others = asked.filter((call) => !approvals.includes(call));
  return [
    checkSequence(answer, asked, approvals),
    {
      name: "swap",
      ok: others.every((call) => isSwap(call, terms, expiry)),
      seen: describeCalls(others),
      expected: `a swap by ${terms.router} of ${terms.largestIn} for ${terms.recipient}`,
    },
    {
      name: "permit",
      ok: permit === null || isExactPermit(permit, request, terms),
      seen: permit === null ? "none" : JSON.stringify(permit.message),
      expected: `at most a permit of ${request.wallet} for ${terms.largestIn} to ${terms.router}`,
    },
  ];
}

const describeCalls = (calls: readonly AskedCall[]) =>
  calls.map(({ to, data, value }) => `${to} ${data.slice(0, 10)} ${value}`).join(", ") || "none";

/**
 * Checks the order of calls: a batch is the swap, after at most one approval; a transaction is the whole batch, or an
 * approval if the result has no batch. Without a transaction, a batch has an approval: the wallet shows it as such.
 */
function checkSequence(answer: PreparedTrade, asked: readonly AskedCall[], approvals: readonly AskedCall[]): Check {
  const { calls, transaction } = answer;
  const isApproval = (call: AskedCall) => approvals.includes(call);
  const before = calls?.slice(0, -1) ?? [];
  const last = calls?.at(-1);
  const isBatch =
    (transaction === null ? before.length === 1 : !isApproval(transaction) && before.length <= 1) &&
    before.every(isApproval) &&
    (last === undefined || !isApproval(last));
  return {
    name: "calls",
    ok: calls === undefined ? transaction !== null : isBatch,
    seen: describeCalls(asked),
    expected: "at most one exact approval, then the swap",
  };
}

/** Whether a call approves exactly the largest input to the router. */
function isExactApproval({ to, data, value }: AskedCall, { tokenIn, router, largestIn, paysNative }: Terms): boolean {
  if (paysNative || router === undefined) return false;
  const args = [toLower(router), largestIn] as const;
  const approval = encodeCall({ abi: erc20Abi, functionName: "approve", args });
  return isSame(to, tokenIn) && BigInt(value) === 0n && data.toLowerCase() === approval;
}

/** Whether a permit is for exactly the largest input and the router. Wrapped native has no permit. */
function isExactPermit(
  { domain, primaryType, types, message }: NonNullable<PreparedTrade["permit_typed_data"]>,
  { side, wallet }: TradeCallsRequest,
  { router, largestIn, tokenIn, middle }: Terms,
): boolean {
  return (
    (side === "sell" || middle !== null) &&
    primaryType === "Permit" &&
    // Other types, such as those of DAI, would give the same fields another meaning.
    canonicalJson(types) === canonicalJson(permitTypes) &&
    isSame(domain.verifyingContract, tokenIn) &&
    isSame(message.owner, wallet) &&
    isSame(message.spender, router) &&
    message.value === largestIn.toString()
  );
}

const routerKinds = ["swap_router", "swap_router_02"] as const;
const routerAbis = { swap_router: swapRouterAbi, swap_router_02: swapRouter02Abi };

/**
 * Whether a call is the requested swap. Encodes the request again with the terms that the service may choose: a higher
 * minimum, the pool's fee among the accepted ones, and whether the permit is still needed.
 */
function isSwap({ to, data, value }: AskedCall, terms: Terms, expiry: bigint): boolean {
  const { tokenIn, tokenOut, recipient, amounts, permit, paysNative, receivesNative, largestIn } = terms;
  if (!isSame(to, terms.router) || BigInt(value) !== (paysNative ? largestIn : 0n)) return false;
  return routerKinds.some((kind) => {
    const chosen = readChosenTerms(kind, data as Hex);
    if (chosen === null || chosen.deadline < expiry || chosen.deadline > expiry + maxClockLeadSeconds) return false;
    if ((chosen.second === null) !== (terms.middle === null)) return false;
    const [first, last] = [chosen.fee, chosen.second?.fee ?? chosen.fee];
    if (!terms.poolFees.includes(terms.endsAtLaunch ? last : first)) return false;
    const otherFee = terms.endsAtLaunch ? first : last;
    if (chosen.second !== null && terms.assetFee !== null && otherFee !== terms.assetFee) return false;
    if (amounts.exact === "input" && chosen.minimumOut < amounts.minimumOut) return false;
    const order = {
      tokenIn,
      tokenOut,
      recipient,
      fee: chosen.fee,
      second: terms.middle === null ? undefined : { token: terms.middle, fee: chosen.second!.fee },
      deadline: chosen.deadline,
      amounts: amounts.exact === "input" ? { ...amounts, minimumOut: chosen.minimumOut } : amounts,
    };
    return [permit, null].some(
      (used) => swapCall(kind, order, { permit: used, paysNative, receivesNative }) === data.toLowerCase(),
    );
  });
}

/** The arguments of both routers' swaps; SwapRouter02 has the deadline in `multicall`. */
type SwapArguments = { amountOutMinimum?: bigint; deadline?: bigint; fee?: number; path?: Hex };

/** The terms of a swap that the service chooses; fees of pools in hundredths of a basis point. */
type ChosenTerms = { deadline: bigint; minimumOut: bigint; fee: number; second: { fee: number } | null };

/** The digits of a path through two pools: address, fee, address, fee, address. */
const pathPattern = /^0x[0-9a-f]{40}([0-9a-f]{6})[0-9a-f]{40}([0-9a-f]{6})[0-9a-f]{40}$/i;

/** Reads the terms of a swap that the service chooses; null for calldata of another function. */
function readChosenTerms(kind: RouterKind, data: Hex): ChosenTerms | null {
  try {
    const abi = [...routerAbis[kind], ...routerPaymentsAbi];
    const call = decodeFunctionData({ abi, data });
    const parts = call.functionName === "multicall" ? (call.args.at(-1) as readonly Hex[]) : [data];
    const decoded = parts.map((part) => decodeFunctionData({ abi, data: part }));
    const swap = decoded.find(({ functionName }) => functionName.startsWith("exact"));
    if (swap === undefined) return null;
    const { amountOutMinimum = 0n, deadline, fee = 0, path } = swap.args![0] as SwapArguments;
    const common = { minimumOut: amountOutMinimum, deadline: deadline ?? (call.args![0] as bigint) };
    if (path === undefined) return { ...common, fee, second: null };
    const [, first, last] = pathPattern.exec(path) ?? [];
    if (first === undefined || last === undefined) return null;
    return { ...common, fee: Number.parseInt(first, 16), second: { fee: Number.parseInt(last, 16) } };
  } catch {
    return null;
  }
}

/**
 * Compares the quote with the request and with its own arithmetic, and the permit's chain and deadline.
 *
 * @param minimum - The least output that the caller accepts, by its own quote; in base units.
 */
export function checkTradeQuote(
  { quote, permit_typed_data: permit = null }: PreparedTrade,
  request: TradeCallsRequest,
  contracts: Contracts,
  chainId: number,
  minimum = 0n,
): Check[] {
  if (quote === undefined) return [checkEqual("quote", "none", "a quote")];
  const { tokenIn, tokenOut, largestIn, amounts, settlement } = getTerms(request, quote, contracts);
  const least = amounts.exact === "input" ? amounts.minimumOut : amounts.amountOut;
  const longest = permitValiditySeconds + maxClockLeadSeconds;
  return [
    checkAddress("token_in", quote.token_in, tokenIn),
    checkAddress("token_out", quote.token_out, tokenOut),
    checkEqual("settlement", quote.settlement, settlement),
    checkEqual("minimum_out", quote.minimum_out, least),
    ...(amounts.exact === "input"
      ? [
          checkEqual("amount_in", quote.amount_in, largestIn),
          checkEqual("slippage_bps", quote.slippage_bps, request.slippage_bps),
        ]
      : [checkEqual("amount_out", quote.amount_out, least), checkEqual("maximum_in", quote.maximum_in, largestIn)]),
    {
      name: "minimum_accepted",
      ok: BigInt(quote.minimum_out) >= minimum,
      seen: quote.minimum_out,
      expected: `at least ${minimum}`,
    },
    ...(permit === null
      ? []
      : [
          checkEqual("permit_chain", permit.domain.chainId, chainId),
          {
            name: "permit_deadline",
            ok: BigInt(permit.message.deadline ?? "0") <= BigInt(quote.expires_at) + longest,
            seen: permit.message.deadline ?? "none",
            expected: `at most ${longest} seconds after ${quote.expires_at}`,
          },
        ]),
  ];
}

/** Returns the allowed transfers of a trade: the input from the wallet, and, if a call swaps, the minimum to the recipient. */
export function getTradeChanges(
  answer: PreparedTrade,
  request: TradeCallsRequest,
  contracts: Contracts,
): AllowedChanges {
  const terms = getTerms(request, answer.quote, contracts);
  const { tokenIn, tokenOut, recipient, largestIn, amounts, paysNative, receivesNative } = terms;
  const isOnlyApproval =
    answer.calls === undefined && answer.transaction !== null && isExactApproval(answer.transaction, terms);
  const minimum = amounts.exact === "input" ? amounts.minimumOut : amounts.amountOut;
  return {
    wallet: request.wallet,
    spends: isOnlyApproval ? [] : [{ asset: paysNative ? zeroAddress : tokenIn, maximum: largestIn }],
    receives: isOnlyApproval ? null : { asset: receivesNative ? zeroAddress : tokenOut, to: recipient, minimum },
  };
}
