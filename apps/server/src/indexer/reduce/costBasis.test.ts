import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addToCostBasis, type CostBasis, noCostBasis, type OwnTrade } from "./costBasis.ts";

const buy = (tokenAmount: bigint, quoteAmount: bigint, usd: bigint | null = quoteAmount * 2n): OwnTrade => ({
  isBuy: true,
  tokenAmount,
  quoteAmount,
  usd,
});
const sell = (tokenAmount: bigint, quoteAmount: bigint, usd: bigint | null = quoteAmount * 2n): OwnTrade => ({
  isBuy: false,
  tokenAmount,
  quoteAmount,
  usd,
});
const follow = (...trades: OwnTrade[]) => trades.reduce(addToCostBasis, noCostBasis);

describe("average cost equals the result computed by hand:", () => {
  test.each<[string, OwnTrade[], CostBasis]>([
    [
      // 300 tokens cost 100 + 260 = 360; half of them 180; sold for 240.
      "a sell of half the tokens removes half the cost",
      [buy(100n, 100n), buy(200n, 260n), sell(150n, 240n)],
      { held: 150n, costQuote: 180n, costUsd: 360n, realizedQuote: 60n, realizedUsd: 120n },
    ],
    [
      // A buy after a sell does not change the realized profit: 30 - 10 = 20; then 10 + 90 for 20 tokens.
      "a later buy does not change the realized profit",
      [buy(20n, 20n), sell(10n, 30n), buy(10n, 90n)],
      { held: 20n, costQuote: 100n, costUsd: 200n, realizedQuote: 20n, realizedUsd: 40n },
    ],
    [
      "a loss is negative",
      [buy(10n, 100n), sell(10n, 40n)],
      { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: -60n, realizedUsd: -120n },
    ],
    [
      "tokens received without a trade realize no profit or loss",
      [sell(10n, 40n), sell(5n, 9n, null)],
      { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 0n, realizedUsd: 0n },
    ],
    [
      // 30 are sold for 90, of which 10 were bought: proceeds 30, cost 12.
      "a sell realizes profit only for its bought tokens",
      [buy(10n, 12n), sell(30n, 90n)],
      { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 18n, realizedUsd: 36n },
    ],
    [
      // The cost of 1 of 3 tokens is rounded down to 3. The remainder stays with the other tokens until the last sell.
      "rounding does not lose cost",
      [buy(3n, 10n), sell(1n, 5n), sell(1n, 5n), sell(1n, 5n)],
      { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 5n, realizedUsd: 10n },
    ],
    [
      "a buy of unknown USD value makes the USD profit of later sells unknown",
      [buy(10n, 10n, null), buy(10n, 10n), sell(10n, 30n)],
      { held: 10n, costQuote: 10n, costUsd: null, realizedQuote: 20n, realizedUsd: null },
    ],
    [
      "after selling all tokens the USD cost is known again, but not the realized USD profit",
      [buy(10n, 10n, null), sell(10n, 30n), buy(5n, 5n), sell(5n, 6n)],
      { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 21n, realizedUsd: null },
    ],
    [
      "a buy of unknown USD value without a sell has a realized USD profit of zero",
      [buy(10n, 10n, null)],
      { held: 10n, costQuote: 10n, costUsd: null, realizedQuote: 0n, realizedUsd: 0n },
    ],
    [
      "a sell of unknown USD value makes the realized USD profit unknown",
      [buy(10n, 10n), sell(5n, 30n, null)],
      { held: 5n, costQuote: 5n, costUsd: 10n, realizedQuote: 25n, realizedUsd: null },
    ],
    [
      "the largest amounts are exact",
      [buy(2n ** 255n, 2n ** 255n - 1n), sell(2n ** 255n, 2n ** 255n)],
      { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 1n, realizedUsd: 2n },
    ],
  ])("%s", (_name, trades, expected) => {
    expect(follow(...trades)).toEqual(expected);
  });
});

/** A fraction, because the reference does not round. */
type Fraction = readonly [numerator: bigint, denominator: bigint];
const getDivisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : getDivisor(b, a % b));
const reduce = ([a, b]: Fraction): Fraction => {
  const divisor = getDivisor(a < 0n ? -a : a, b);
  return [a / divisor, b / divisor];
};
const add = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduce([a * d + c * b, b * d]);
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduce([a * c, b * d]);
const minus = ([a, b]: Fraction): Fraction => [-a, b];

/** Computes the basis by another method: each token has a price, and each buy sets all prices to their mean. */
function followTokenByToken(trades: readonly OwnTrade[]) {
  let prices: Fraction[] = [];
  let realized: Fraction = [0n, 1n];
  for (const { isBuy, tokenAmount, quoteAmount } of trades) {
    const price: Fraction = [quoteAmount, tokenAmount];
    if (isBuy) {
      const all = [...prices, ...Array.from({ length: Number(tokenAmount) }, () => price)];
      const mean = times(all.reduce(add, [0n, 1n]), [1n, BigInt(all.length)]);
      prices = all.map(() => mean);
      continue;
    }
    for (const cost of prices.splice(0, Number(tokenAmount))) realized = add(realized, add(price, minus(cost)));
  }
  return { held: BigInt(prices.length), cost: prices.reduce(add, [0n, 1n]), realized };
}

test("average cost differs from a token-by-token reference without rounding by at most one base unit per sell", () => {
  const trade = fc.record({
    isBuy: fc.boolean(),
    tokenAmount: fc.bigInt({ min: 1n, max: 6n }),
    quoteAmount: fc.bigInt({ min: 1n, max: 10n ** 6n }),
    usd: fc.constant(1n),
  });
  fc.assert(
    fc.property(fc.array(trade, { minLength: 1, maxLength: 8 }), (trades) => {
      const basis = follow(...trades);
      const { held, cost, realized } = followTokenByToken(trades);
      const sells = BigInt(trades.filter(({ isBuy }) => !isBuy).length);
      const expectNear = (value: bigint, [a, b]: Fraction) => {
        const distance = value * b - a;
        // Each sell rounds its cost and its proceeds once. The rounding error of the cost carries over to later sells.
        expect(distance < 0n ? -distance : distance).toBeLessThanOrEqual(2n * sells * b);
      };
      expect(basis.held).toBe(held);
      expectNear(basis.costQuote, cost);
      expectNear(basis.realizedQuote, realized);
    }),
    { numRuns: 300 },
  );
});
