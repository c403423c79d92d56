import { SlipwayError } from "@slipway/protocol/errors";
import { swapRouter02Abi } from "@slipway/protocol/uniswap";
import { encodeFunctionResult, type Hex, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { assertQuotedAmounts } from "./assertQuotedAmounts.ts";

const toAddress = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [wallet, router, pool, token, weth] = ["1", "2", "3", "4", "5"].map(toAddress) as [...[Hex, Hex, Hex, Hex, Hex]];
const path = { tokenIn: weth, tokenOut: token, pools: { first: pool, last: pool } };
const quote = { amount_in: "80", amount_out: "50000" };
const word = (amount: bigint): Hex => numberToHex(amount, { size: 32 });

type Move = [asset: Hex, from: Hex, to: Hex, amount: bigint];

/** Returns the code of the refusal of a simulation with transfers, or null. */
function judge(moves: Move[]): string | null {
  const assetChanges = moves.map(([asset, from, to, amount]) => ({ asset, from, to, amount: amount.toString() }));
  return catchCode(() =>
    assertQuotedAmounts({ areAssetChangesKnown: true, assetChanges, returnData: "0x" }, path, "swap_router_02", quote),
  );
}

/** Returns the code of the refusal of a simulation without transfers, or null. */
function judgeReturned(returnData: Hex, routerKind: "swap_router" | "swap_router_02"): string | null {
  const simulation = { areAssetChangesKnown: false, assetChanges: [], returnData };
  return catchCode(() => assertQuotedAmounts(simulation, path, routerKind, quote));
}

function catchCode(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof SlipwayError) return error.code;
    throw error;
  }
}

const swap = (amountIn: bigint, amountOut: bigint): Move[] => [
  [weth, router, pool, amountIn],
  [token, pool, wallet, amountOut],
];

describe("assertQuotedAmounts", () => {
  test("C7-58 refuses a simulation whose swap pays or yields anything but the quoted amounts", () => {
    expect(judge(swap(80n, 50_000n))).toBeNull();
    for (const [amountIn, amountOut] of [
      [80n, 50_001n],
      [80n, 49_999n],
      [80n, 50_000_000n],
      [79n, 50_000n],
      [81n, 50_000n],
    ] as const) {
      expect([amountIn, amountOut, judge(swap(amountIn, amountOut))]).toEqual([
        amountIn,
        amountOut,
        "chain_unavailable",
      ]);
    }
    expect(judge([])).toBe("chain_unavailable");
  });

  test("C7-22 assets that others left in the router do not count as output of the swap", () => {
    expect(judge([...swap(80n, 50_000n), [token, router, wallet, 9_000n]])).toBeNull();
    expect(judge([...swap(80n, 41_000n), [token, router, wallet, 9_000n]])).toBe("chain_unavailable");
  });

  test("C7-58 compares the router's return value if the node reports no transfers", () => {
    const inMulticall = (amount: bigint) =>
      encodeFunctionResult({ abi: swapRouter02Abi, functionName: "multicall", result: [word(amount)] });
    expect(judgeReturned(inMulticall(50_000n), "swap_router_02")).toBeNull();
    expect(judgeReturned(inMulticall(50_000_000n), "swap_router_02")).toBe("chain_unavailable");
    expect(judgeReturned(word(50_000n), "swap_router")).toBeNull();
    expect(judgeReturned(word(50_000_000n), "swap_router")).toBe("chain_unavailable");
    for (const kind of ["swap_router", "swap_router_02"] as const) {
      expect(judgeReturned("0x", kind)).toBe("chain_unavailable");
    }
  });
});
