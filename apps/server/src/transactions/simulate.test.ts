import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { toAssetChanges } from "./simulate.ts";
import { computeGasLimit, computeFees } from "./unsignedResult.ts";

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}` as const;
const address = (value: number) => `0x${value.toString(16).padStart(40, "0")}` as const;

describe("toAssetChanges", () => {
  test("lists ERC-20 transfers and native transfers in order", () => {
    const native = `0x${"ee".repeat(20)}` as const;
    expect(
      toAssetChanges([
        { address: address(9), topics: [transfer, word(1), word(2)], data: word(5) },
        { address: native, topics: [transfer, word(2), word(1)], data: word(7) },
      ]),
    ).toEqual([
      { asset: address(9), from: address(1), to: address(2), amount: "5" },
      { asset: zeroAddress, from: address(2), to: address(1), amount: "7" },
    ]);
  });

  test("omits zero amounts, ERC-721 transfers, malformed logs and other events", () => {
    expect(
      toAssetChanges([
        { address: address(9), topics: [transfer, word(1), word(2)], data: word(0) },
        { address: address(9), topics: [transfer, word(1), word(2), word(3)], data: "0x" },
        { address: address(9), topics: [transfer, word(1), word(2)], data: "0x05" },
        { address: address(9), topics: [word(1)], data: word(5) },
      ]),
    ).toEqual([]);
  });
});

describe("computeGasLimit", () => {
  test("returns 1.2 times the used gas, rounded up, and at least 30,000 more", () => {
    const of = (gasUsed: bigint) => computeGasLimit({ gasUsed, method: "eth_simulateV1" }, null);
    expect(of(1_000_001n)).toBe(1_200_002n);
    expect(of(1_000_005n)).toBe(1_200_006n);
    expect(of(100_000n)).toBe(130_000n);
    expect(of(150_000n)).toBe(180_000n);
  });

  test("adds the parent chain's gas to eth_simulateV1, and not to eth_estimateGas, which includes it", () => {
    expect(computeGasLimit({ gasUsed: 900_000n, method: "eth_simulateV1" }, 100_000n)).toBe(1_200_000n);
    expect(computeGasLimit({ gasUsed: 1_000_000n, method: "eth_call" }, 100_000n)).toBe(1_200_000n);
  });
});

describe("computeFees", () => {
  test("returns the maximum cost in wei and in dollars, null when unknown", () => {
    const known = computeFees(1_000_000n, 10n ** 9n, 5n, 3_000);
    expect(known).toMatchObject({ total_wei: `${10n ** 15n}`, l1_gas: "5" });
    expect(known.total_usd).toBeCloseTo(3, 12);
    expect(computeFees(1n, 1n, null, null)).toMatchObject({ l1_gas: null, total_usd: null });
  });
});
