import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SlipwayError } from "./errors.ts";
import { checkAllocations } from "./intent.ts";

const wallet = (index: number) => `0x${index.toString(16).padStart(40, "a")}`;
const refusal = (recipients: { wallet: string; share_bps: number }[]) => {
  try {
    checkAllocations(recipients);
    return null;
  } catch (error) {
    return error as SlipwayError;
  }
};

describe("checkAllocations", () => {
  it("accepts a draft without recipients", () => {
    expect(refusal([])).toBeNull();
  });

  it("accepts shares of different wallets only if they sum to 10000", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 20 }), (shares) => {
        const sum = shares.reduce((total, share) => total + share, 0);
        const error = refusal(shares.map((share_bps, index) => ({ wallet: wallet(index), share_bps })));
        expect(error?.code ?? null).toBe(sum === 10_000 ? null : "shares_not_10000");
        if (error) expect(error.details).toEqual({ sum });
      }),
    );
    expect(
      refusal([
        { wallet: wallet(1), share_bps: 9_999 },
        { wallet: wallet(2), share_bps: 1 },
      ]),
    ).toBeNull();
  });

  it("rejects a duplicate wallet in any case, with the index of the second", () => {
    const twice = [
      { wallet: wallet(1), share_bps: 5_000 },
      { wallet: wallet(1).toUpperCase().replace("0X", "0x"), share_bps: 5_000 },
    ];
    const error = refusal(twice);
    expect([error?.code, error?.field]).toEqual(["duplicate_recipient", "recipients[1].wallet"]);
  });
});
