import { encodePacked, type Hex, zeroAddress } from "viem";
import { encodeCall } from "./encodeCall.ts";
import { routerPaymentsAbi, swapRouter02Abi, swapRouterAbi } from "./uniswap.ts";

/** The router contracts of a manifest. */
export type RouterKind = "swap_router" | "swap_router_02";

/** An exact input for at least a minimum, or an exact output for at most a maximum. In base units. */
export type SwapAmounts =
  | { exact: "input"; amountIn: bigint; minimumOut: bigint }
  | { exact: "output"; amountOut: bigint; maximumIn: bigint };

/** A swap through one pool, or through two with an exact input, valid until `deadline` (Unix seconds of block time). */
export type SwapOrder = {
  tokenIn: Hex;
  tokenOut: Hex;
  /** The fee of the (first) pool in hundredths of a basis point. */
  fee: number;
  /** The token between two pools, and the fee of the second one. */
  second?: SecondPool | undefined;
  recipient: Hex;
  deadline: bigint;
  amounts: SwapAmounts;
};

export type SecondPool = { token: Hex; fee: number };

/** Encodes the path of a swap through two pools. Source: Path.sol of Uniswap's v3-periphery. */
export const encodeSwapPath = (order: Pick<SwapOrder, "tokenIn" | "tokenOut" | "fee"> & { second: SecondPool }): Hex =>
  encodePacked(
    ["address", "uint24", "address", "uint24", "address"],
    [order.tokenIn, order.fee, order.second.token, order.second.fee, order.tokenOut],
  );

/** The owner's ERC-2612 permit for `value` of `tokenIn` to the router. */
export type SignedPermit = { value: bigint; deadline: bigint; v: number; r: Hex; s: Hex };

export type SwapExtras = {
  permit?: SignedPermit | null;
  /** The value of the transaction pays; the swap refunds the rest to the sender. */
  paysNative?: boolean;
  /** The output, wrapped native, is unwrapped for the recipient. */
  receivesNative?: boolean;
};

/**
 * The recipient address that means the router itself. Source: SwapRouter.exactInputInternal; Constants.ADDRESS_THIS.
 */
const routerItself: Record<RouterKind, Hex> = {
  swap_router: zeroAddress,
  swap_router_02: "0x0000000000000000000000000000000000000002",
};

/**
 * Encodes the calldata of a swap for either router as one call with the required parts of: permit, swap, unwrapping,
 * refund. Sets no price limit: the amounts are the only bound. The router skips a permit that was submitted before.
 */
export function swapCall(kind: RouterKind, order: SwapOrder, extras: SwapExtras = {}): Hex {
  const { permit, paysNative = false, receivesNative = false } = extras;
  const recipient = receivesNative ? routerItself[kind] : order.recipient;
  const parts = [encodeSwap(kind, { ...order, recipient })];
  if (permit) {
    const { value, deadline, v, r, s } = permit;
    parts.unshift(
      encodeCall({
        abi: routerPaymentsAbi,
        functionName: "selfPermitIfNecessary",
        args: [order.tokenIn, value, deadline, v, r, s],
      }),
    );
  }
  if (receivesNative) {
    const { amounts } = order;
    const minimum = amounts.exact === "input" ? amounts.minimumOut : amounts.amountOut;
    const args = [minimum, order.recipient] as const;
    parts.push(encodeCall({ abi: routerPaymentsAbi, functionName: "unwrapWETH9", args }));
  }
  if (paysNative) parts.push(encodeCall({ abi: routerPaymentsAbi, functionName: "refundETH" }));

  if (kind === "swap_router_02") {
    return encodeCall({ abi: swapRouter02Abi, functionName: "multicall", args: [order.deadline, parts] });
  }
  if (parts.length === 1) return parts[0]!;
  return encodeCall({ abi: swapRouterAbi, functionName: "multicall", args: [parts] });
}

/** SwapRouter02 has no deadline in its structs: `multicall` checks it. */
function encodeSwap(kind: RouterKind, { amounts, deadline, second, ...order }: SwapOrder): Hex {
  if (second !== undefined) return encodeTwoPools(kind, { amounts, deadline, second, ...order });
  const { tokenIn, tokenOut, fee, recipient } = order;
  const shared = { tokenIn, tokenOut, fee, recipient, sqrtPriceLimitX96: 0n };
  if (amounts.exact === "input") {
    const params = { ...shared, amountIn: amounts.amountIn, amountOutMinimum: amounts.minimumOut };
    return kind === "swap_router"
      ? encodeCall({ abi: swapRouterAbi, functionName: "exactInputSingle", args: [{ ...params, deadline }] })
      : encodeCall({ abi: swapRouter02Abi, functionName: "exactInputSingle", args: [params] });
  }
  const params = { ...shared, amountOut: amounts.amountOut, amountInMaximum: amounts.maximumIn };
  return kind === "swap_router"
    ? encodeCall({ abi: swapRouterAbi, functionName: "exactOutputSingle", args: [{ ...params, deadline }] })
    : encodeCall({ abi: swapRouter02Abi, functionName: "exactOutputSingle", args: [params] });
}

/** @throws Error for an exact output, which the service prepares through one pool only. */
function encodeTwoPools(kind: RouterKind, order: SwapOrder & { second: SecondPool }): Hex {
  const { amounts, deadline, recipient } = order;
  if (amounts.exact === "output") throw new Error("an exact output through two pools is not supported");
  const params = {
    path: encodeSwapPath(order),
    recipient,
    amountIn: amounts.amountIn,
    amountOutMinimum: amounts.minimumOut,
  };
  return kind === "swap_router"
    ? encodeCall({ abi: swapRouterAbi, functionName: "exactInput", args: [{ ...params, deadline }] })
    : encodeCall({ abi: swapRouter02Abi, functionName: "exactInput", args: [params] });
}
