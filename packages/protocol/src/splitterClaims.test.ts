import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimableOf, creditedOf } from "./splitterClaims.ts";

const amount = fc.bigInt(0n, 2n ** 128n);
const share = fc.integer({ min: 1, max: 10_000 });

describe("claimableOf", () => {
  test("is the share of everything ever received, less what was paid", () => {
    expect(claimableOf({ balance: 900n, totalReleased: 100n }, 3_333, 0n)).toBe(333n);
    expect(claimableOf({ balance: 900n, totalReleased: 100n }, 3_333, 333n)).toBe(0n);
  });

  test("is zero, not negative, when an asset's balances shrank", () => {
    expect(claimableOf({ balance: 0n, totalReleased: 100n }, 5_000, 60n)).toBe(0n);
  });
});

describe("creditedOf", () => {
  test("is exactly what becomes claimable once the credit has arrived", () => {
    fc.assert(
      fc.property(amount, amount, amount, share, (balance, totalReleased, credit, shareBps) => {
        const now = claimableOf({ balance, totalReleased }, shareBps, 0n);
        const later = claimableOf({ balance: balance + credit, totalReleased }, shareBps, 0n);
        return creditedOf({ balance, totalReleased }, shareBps, 0n, credit) === later - now;
      }),
    );
  });
});
