import { decodeFunctionData, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { type RouterKind, type SignedPermit, type SwapExtras, type SwapOrder, swapCall } from "./swapCall.ts";
import { routerPaymentsAbi, swapRouter02Abi, swapRouterAbi } from "./uniswap.ts";

const order: SwapOrder = {
  tokenIn: "0x00000000000000000000000000000000000000A1",
  tokenOut: "0x00000000000000000000000000000000000000A2",
  fee: 10_000,
  recipient: "0x00000000000000000000000000000000000000A3",
  deadline: 1_800_000_060n,
  amounts: { exact: "input", amountIn: 5n, minimumOut: 4n },
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
const permit: SignedPermit = {
  value: 5n,
  deadline: 1_800_001_800n,
  v: 27,
  r: `0x${"1".repeat(64)}`,
  s: `0x${"2".repeat(64)}`,
};
const zero = "0x0000000000000000000000000000000000000000";
const two = "0x0000000000000000000000000000000000000002";

/** The parts of a call, each with its name and arguments, and the deadline of SwapRouter02's multicall. */
function decodeParts(kind: RouterKind, extras: SwapExtras, changed: Partial<SwapOrder> = {}) {
  const data = swapCall(kind, { ...order, ...changed }, extras);
  const abi = [...(kind === "swap_router" ? swapRouterAbi : swapRouter02Abi), ...routerPaymentsAbi];
  const outer = decodeFunctionData({ abi, data });
  expect(outer.functionName).toBe("multicall");
  const calls = outer.args!.at(-1) as Hex[];
  const parts = calls.map((part) => {
    const { functionName, args = [] } = decodeFunctionData({ abi, data: part }) as {
      functionName: string;
      args?: readonly unknown[];
    };
    return [functionName, ...args];
  });
  return { parts, deadline: outer.args!.length === 2 ? outer.args![0] : null };
}

describe("swapCall", () => {
  test("encodes SwapRouter's deadline in the struct", () => {
    const { functionName, args } = decodeFunctionData({ abi: swapRouterAbi, data: swapCall("swap_router", order) });
    expect([functionName, args]).toEqual(["exactInputSingle", [{ ...inner, deadline: order.deadline }]]);
  });

  test("encodes SwapRouter02's deadline in a multicall of one swap", () => {
    const { parts, deadline } = decodeParts("swap_router_02", {});
    expect([deadline, parts]).toEqual([order.deadline, [["exactInputSingle", inner]]]);
  });

  test("refunds after a swap that is paid in native", () => {
    const swap = { ...inner, deadline: order.deadline };
    expect(decodeParts("swap_router", { paysNative: true }).parts).toEqual([["exactInputSingle", swap], ["refundETH"]]);
    const { parts, deadline } = decodeParts("swap_router_02", { paysNative: true });
    expect([deadline, parts]).toEqual([order.deadline, [["exactInputSingle", inner], ["refundETH"]]]);
  });

  test("swaps to the router itself and unwraps at least the minimum for the recipient", () => {
    const unwrap = ["unwrapWETH9", 4n, order.recipient];
    const swap = { ...inner, deadline: order.deadline, recipient: zero };
    expect(decodeParts("swap_router", { receivesNative: true }).parts).toEqual([["exactInputSingle", swap], unwrap]);
    expect(decodeParts("swap_router_02", { receivesNative: true }).parts).toEqual([
      ["exactInputSingle", { ...inner, recipient: two }],
      unwrap,
    ]);
  });

  test("begins with the permit of the sold asset", () => {
    const first = ["selfPermitIfNecessary", order.tokenIn, 5n, permit.deadline, 27, permit.r, permit.s];
    for (const kind of ["swap_router", "swap_router_02"] as const) {
      const { parts } = decodeParts(kind, { permit, receivesNative: true });
      expect(parts[0]).toEqual(first);
      expect(parts.map(([name]) => name)).toEqual(["selfPermitIfNecessary", "exactInputSingle", "unwrapWETH9"]);
    }
  });

  test("bounds an exact output by its maximum, and unwraps all of it", () => {
    const amounts = { exact: "output", amountOut: 7n, maximumIn: 9n } as const;
    const { amountIn: _, amountOutMinimum: __, ...rest } = inner;
    const params = { ...rest, amountOut: 7n, amountInMaximum: 9n };
    expect(decodeParts("swap_router", { paysNative: true }, { amounts }).parts).toEqual([
      ["exactOutputSingle", { ...params, deadline: order.deadline }],
      ["refundETH"],
    ]);
    expect(decodeParts("swap_router_02", { receivesNative: true }, { amounts }).parts).toEqual([
      ["exactOutputSingle", { ...params, recipient: two }],
      ["unwrapWETH9", 7n, order.recipient],
    ]);
  });
});
