import { decodeFunctionData } from "viem";
import { describe, expect, test } from "vitest";
import { swapCall, type SwapOrder, swapRouter02Abi, swapRouterAbi } from "./uniswap.ts";

const order: SwapOrder = {
  tokenIn: "0x00000000000000000000000000000000000000A1",
  tokenOut: "0x00000000000000000000000000000000000000A2",
  fee: 10_000,
  recipient: "0x00000000000000000000000000000000000000A3",
  deadline: 1_800_000_060n,
  amountIn: 5n,
  minimumOut: 4n,
};
const inner = {
  tokenIn: order.tokenIn,
  tokenOut: order.tokenOut,
  fee: 10_000,
  recipient: order.recipient,
  amountIn: 5n,
  amountOutMinimum: 4n,
  sqrtPriceLimitX96: 0n,
};

describe("swapCall", () => {
  test("encodes SwapRouter's deadline in the struct", () => {
    const { functionName, args } = decodeFunctionData({ abi: swapRouterAbi, data: swapCall("swap_router", order) });
    expect([functionName, args]).toEqual(["exactInputSingle", [{ ...inner, deadline: order.deadline }]]);
  });

  test("encodes SwapRouter02's deadline in a multicall of one swap", () => {
    const outer = decodeFunctionData({ abi: swapRouter02Abi, data: swapCall("swap_router_02", order) });
    expect(outer.functionName).toBe("multicall");
    const [deadline, calls] = outer.args as [bigint, `0x${string}`[]];
    expect([deadline, calls.length]).toEqual([order.deadline, 1]);
    expect(decodeFunctionData({ abi: swapRouter02Abi, data: calls[0]! }).args).toEqual([inner]);
  });
});
