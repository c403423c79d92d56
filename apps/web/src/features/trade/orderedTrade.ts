import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { minimumOut } from "@slipway/protocol/poolMath";
import { permitTypes } from "@slipway/protocol/signedTypes";
import { type RouterKind, type SignedPermit, swapCall } from "@slipway/protocol/swapCall";
import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import { erc20Abi, routerPaymentsAbi, swapRouter02Abi, swapRouterAbi } from "@slipway/protocol/uniswap";
import { decodeFunctionData, type Hex } from "viem";
import type { TradeOrder } from "./tradeOrder.ts";

/** The contracts of the deployment, by the names of `GET /config`. */
type Contracts = Readonly<Record<string, string>>;
type AskedCall = { to?: string | undefined; data: string; value: string };
type PermitTyped = NonNullable<TradeCallsResult["permit_typed_data"]>;

const isSame = (a: string | undefined, b: string | undefined) =>
  a !== undefined && a.toLowerCase() === b?.toLowerCase();
const toLower = (address: string) => address.toLowerCase() as Hex;

/**
 * Whether a response contains only the order's trade: one swap by the deployment's router, for at least the quote's
 * output less the slippage, paid to the wallet; before the swap at most the exact approval; and at most the permit for
 * exactly the sold amount. Everything else is refused.
 */
export function isOrderedTrade(answer: TradeCallsResult, order: TradeOrder, contracts: Contracts): boolean {
  const { calls, transaction, quote, permit_typed_data: permit } = answer;
  const minimum = minimumOut(BigInt(quote.amount_out), order.slippageBps);
  const isSwap = (call: AskedCall) => isOrderedSwap(call, order, contracts, minimum);
  const swap = calls.at(-1);
  const before = calls.slice(0, -1);
  return (
    // Without a transaction, the first call is an approval: the flow shows it as such.
    (transaction === null ? before.length === 1 : isSwap(transaction) && before.length <= 1) &&
    (swap === undefined || isSwap(swap)) &&
    before.every((call) => isExactApproval(call, order, contracts)) &&
    (permit === null || isExactPermit(permit, order, contracts))
  );
}

function getPath({ side, token }: TradeOrder, { wrapped_native: wrapped = "" }: Contracts) {
  const [tokenIn, tokenOut] = side === "buy" ? [wrapped, token] : [token, wrapped];
  return { tokenIn: toLower(tokenIn), tokenOut: toLower(tokenOut) };
}

/** Whether a call approves exactly the order's amount of the order's input to the router. */
function isExactApproval({ to, data, value }: AskedCall, order: TradeOrder, contracts: Contracts): boolean {
  const { uniswap_router: router = "" } = contracts;
  if (order.side === "buy" && order.asset === "native") return false;
  const approval = encodeCall({
    abi: erc20Abi,
    functionName: "approve",
    args: [toLower(router), BigInt(order.amount)],
  });
  return isSame(to, getPath(order, contracts).tokenIn) && BigInt(value) === 0n && data.toLowerCase() === approval;
}

/** Whether a permit is for exactly the sold amount and the router. Only launch tokens have permits. */
function isExactPermit(permit: PermitTyped, order: TradeOrder, { uniswap_router: router }: Contracts): boolean {
  const { domain, primaryType, types, message } = permit;
  return (
    order.side === "sell" &&
    primaryType === "Permit" &&
    // Other types, such as those of DAI, would give the same fields another meaning.
    canonicalJson(types) === canonicalJson(permitTypes) &&
    isSame(domain.verifyingContract, order.token) &&
    isSame(message.owner, order.wallet) &&
    isSame(message.spender, router) &&
    message.value === order.amount
  );
}

/**
 * Whether a call is the order's swap. Encodes the order again with the terms that the service chooses: the minimum,
 * the deadline, the pool's fee and the signature of a permit.
 */
function isOrderedSwap({ to, data, value }: AskedCall, order: TradeOrder, contracts: Contracts, minimum: bigint) {
  const { side, asset, amount, wallet } = order;
  const amountIn = BigInt(amount);
  const paysNative = side === "buy" && asset === "native";
  if (!isSame(to, contracts.uniswap_router) || BigInt(value) !== (paysNative ? amountIn : 0n)) return false;
  return routerKinds.some((kind) => {
    const terms = readTerms(kind, data as Hex);
    if (terms === null || terms.minimumOut < minimum) return false;
    const { deadline, fee, permit } = terms;
    const ordered = swapCall(
      kind,
      {
        ...getPath(order, contracts),
        fee,
        recipient: toLower(wallet),
        deadline,
        amounts: { exact: "input", amountIn, minimumOut: terms.minimumOut },
      },
      {
        permit: side === "sell" && permit !== null ? { ...permit, value: amountIn } : null,
        paysNative,
        receivesNative: side === "sell" && asset === "native",
      },
    );
    return ordered === data.toLowerCase();
  });
}

const routerKinds = ["swap_router", "swap_router_02"] as const;
const routerAbis = { swap_router: swapRouterAbi, swap_router_02: swapRouter02Abi };

/** The arguments of both routers' `exactInputSingle`; SwapRouter02 has the deadline in `multicall`. */
type ExactInput = { fee: number; amountOutMinimum: bigint; deadline?: bigint };
type Terms = { deadline: bigint; fee: number; minimumOut: bigint; permit: Omit<SignedPermit, "value"> | null };

/** Reads the terms of a swap that the service chooses; null for calldata of another function. */
function readTerms(kind: RouterKind, data: Hex): Terms | null {
  try {
    const abi = [...routerAbis[kind], ...routerPaymentsAbi];
    const call = decodeFunctionData({ abi, data });
    const parts = call.functionName === "multicall" ? (call.args.at(-1) as readonly Hex[]) : [data];
    const decoded = parts.map((part) => decodeFunctionData({ abi, data: part }));
    const swap = decoded.find(({ functionName }) => functionName === "exactInputSingle");
    const signed = decoded.find(({ functionName }) => functionName === "selfPermitIfNecessary");
    if (swap === undefined) return null;
    const { fee, amountOutMinimum, deadline } = swap.args![0] as ExactInput;
    return {
      fee,
      minimumOut: amountOutMinimum,
      deadline: deadline ?? (call.args![0] as bigint),
      permit: signed === undefined ? null : toPermit(signed.args as readonly unknown[]),
    };
  } catch {
    return null;
  }
}

/** The arguments of `selfPermitIfNecessary` after token and value. */
function toPermit([, , deadline, v, r, s]: readonly unknown[]): Terms["permit"] {
  return { deadline: deadline as bigint, v: v as number, r: r as Hex, s: s as Hex };
}
