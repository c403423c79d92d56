import { encodeFunctionData, type Hex } from "viem";
import { swapRouter02Abi, swapRouterAbi } from "./uniswapAbi.ts";

/** The router contracts that a manifest can name. */
export type RouterKind = "swap_router" | "swap_router_02";

/** A swap of an exact amount through one pool, good until `deadline` (Unix seconds of the chain's time). */
export type SwapOrder = {
  tokenIn: Hex;
  tokenOut: Hex;
  /** Of the pool, in hundredths of a basis point. */
  fee: number;
  recipient: Hex;
  deadline: bigint;
  amountIn: bigint;
  minimumOut: bigint;
};

/** The calldata of a swap for either router; without a price limit, so that `minimumOut` alone decides. */
export function swapCall(kind: RouterKind, order: SwapOrder): Hex {
  const shared = {
    tokenIn: order.tokenIn,
    tokenOut: order.tokenOut,
    fee: order.fee,
    recipient: order.recipient,
    amountIn: order.amountIn,
    amountOutMinimum: order.minimumOut,
    sqrtPriceLimitX96: 0n,
  };
  if (kind === "swap_router") {
    return encodeFunctionData({
      abi: swapRouterAbi,
      functionName: "exactInputSingle",
      args: [{ ...shared, deadline: order.deadline }],
    });
  }
  const inner = encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args: [shared] });
  return encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [order.deadline, [inner]] });
}
