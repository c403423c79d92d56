import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import { hashTypedData } from "viem";
import { describe, expect, it } from "vitest";
import {
  atPar,
  deviationBps,
  gasQuoteRequest,
  gasTopUpRequest,
  topUpTypedData,
  valueAtSqrtPrice,
  withMarkup,
} from "./gas.ts";
import { permitTypedData } from "./typedData.ts";

const wallet = "0x1111111111111111111111111111111111111111";
const station = "0x2222222222222222222222222222222222222222";
const token = "0x3333333333333333333333333333333333333333";
const amount = fc.bigInt({ min: 1n, max: 2n ** 120n });

describe("typed data", () => {
  const both = (typed: ReturnType<typeof topUpTypedData>) => {
    const { EIP712Domain: _, ...types } = typed.types;
    return [hashTypedData(typed as never), TypedDataEncoder.hash(typed.domain, types, typed.message)];
  };

  it("of a top-up has the same digest in viem, ethers and after JSON", () => {
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 0n, max: 2n ** 40n }), (tokenAmount, nativeAmount, deadline) => {
        const terms = {
          quoteId: `0x${"ab".repeat(32)}` as const,
          wallet,
          token,
          tokenAmount,
          nativeAmount,
          deadline,
        } as const;
        const typed = topUpTypedData(terms, station, 46_630);
        const [viem, ethers] = both(typed);
        expect(ethers).toBe(viem);
        expect(both(JSON.parse(JSON.stringify(typed)))).toEqual([viem, viem]);
      }),
      { numRuns: 50 },
    );
  });

  it("of a permit has the same digest in viem and ethers", () => {
    const terms = { owner: wallet, spender: station, value: 5n, nonce: 7n, deadline: 9n } as const;
    const [viem, ethers] = both(permitTypedData(terms, token, { name: "Dollar", version: "2" }, 1));
    expect(ethers).toBe(viem);
  });
});

describe("amounts", () => {
  it("with a markup are rounded up by less than one unit", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (fair, bps) => {
        const exact = fair * BigInt(10_000 + bps);
        const amount = withMarkup(fair, bps) * 10_000n;
        expect(amount >= exact && amount < exact + 10_000n).toBe(true);
      }),
    );
  });

  it("at par keep their value, rounded up", () => {
    expect(atPar(1_234_567n, 6, 18)).toBe(1_234_567n * 10n ** 12n);
    expect(atPar(1_234_567n, 6, 6)).toBe(1_234_567n);
    expect(atPar(1_234_567n, 6, 2)).toBe(124n);
    expect(atPar(1n, 6, 0)).toBe(1n);
    expect(atPar(0n, 6, 0)).toBe(0n);
  });

  it("of native have the value of the pool's price in both orders of assets, rounded up", () => {
    // 3,000 dollars of 6 decimals for 10^18 wei: a price of 3e-9 base units a wei.
    const root = 4_339_505_179_874_779_489_431_521n;
    expect(valueAtSqrtPrice(10n ** 18n, root, true)).toBe(3_000_000_000n);
    expect(valueAtSqrtPrice(1n, root, true)).toBe(1n);
    const inverse = (1n << 192n) / root;
    const value = valueAtSqrtPrice(10n ** 18n, inverse, false);
    expect(value >= 3_000_000_000n && value <= 3_000_000_001n).toBe(true);
  });

  it("deviate in basis points of the second amount, rounded up", () => {
    expect(deviationBps(101n, 100n)).toBe(100);
    expect(deviationBps(99n, 100n)).toBe(100);
    expect(deviationBps(1_000_001n, 1_000_000n)).toBe(1);
    expect(deviationBps(7n, 7n)).toBe(0);
  });
});

describe("requests", () => {
  it("accept gas limits from 21,000 to 30,000,000 and no unknown field", () => {
    const isValid = (change: object) =>
      gasQuoteRequest.safeParse({ wallet, token: "USDG", gas_limit: 21_000, ...change }).success;
    for (const limit of [21_000, 30_000_000]) expect(isValid({ gas_limit: limit })).toBe(true);
    for (const limit of [20_999, 30_000_001, 21_000.5, "21000", null])
      expect(isValid({ gas_limit: limit })).toBe(false);
    for (const change of [{ more: 1 }, { token: "" }, { wallet: "0x1" }]) expect(isValid(change)).toBe(false);
  });

  it("accept only signatures of 65 bytes", () => {
    const body = { quote_id: `0x${"ab".repeat(32)}`, wallet };
    const taken = (signature: string) => gasTopUpRequest.safeParse({ ...body, signature }).success;
    expect(taken(`0x${"11".repeat(65)}`)).toBe(true);
    for (const bytes of [0, 64, 66]) expect(taken(`0x${"11".repeat(bytes)}`)).toBe(false);
  });
});
