import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { expect, test } from "vitest";
import { createHandmadeChain, type HandmadeToken } from "../../support/indexer/handmadeChain.ts";
import { serveHandmadeChain } from "../../support/indexer/serveHandmadeChain.ts";

type Handmade = ReturnType<typeof createHandmadeChain>;

/** Returns every number of an answer; a JSON text can contain 1e400, which is parsed as Infinity. */
function getNumbers(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(getNumbers) : [];
}

const int256Max = 2n ** 255n - 1n;
const int256Min = -(2n ** 255n);
const lowestSqrt = 4295128739n;
const highestSqrt = 1461446703485210103287273052203988822378723970341n;
const getTick = (sqrt: bigint) => (sqrt === lowestSqrt ? -887272 : 887271);

test.each([true, false])(
  "C2-15 swaps with the extreme values of their types give finite numbers or null everywhere (token is token0: %s)",
  async (isToken0) => {
    const handmade = createHandmadeChain();
    handmade.mine([handmade.ethUsd(3000)]);
    const token = handmade.launch("EXT", isToken0);
    // Tokens, then wrapped native. A swap of more tokens than exist is refused: C3-91.
    const supply = 10n ** 27n;
    const amounts = [
      [supply, int256Min],
      [-supply, int256Max],
      [1n, int256Min],
      [supply, -1n],
      [-1n, 1n],
    ] as const;
    // Each way to the price at the other end, with and without liquidity.
    for (const [tokens, quote] of amounts) {
      const [amount0, amount1] = isToken0 ? [tokens, quote] : [quote, tokens];
      for (const sqrtPriceX96 of [lowestSqrt, highestSqrt]) {
        for (const liquidity of [0n, 2n ** 128n - 1n]) {
          const words = { amount0, amount1, sqrtPriceX96, liquidity, tick: getTick(sqrtPriceX96) };
          handmade.mine([handmade.swap(token.pool, words)]);
        }
      }
    }
    const get = await serveHandmadeChain(handmade);
    const answers = [
      await get(`/tokens/${token.address}`),
      await get(`/tokens/${token.address}/trades?limit=300`),
      ...(await Promise.all(
        ["1m", "5m", "1h", "1d"].map((i) => get(`/tokens/${token.address}/candles?interval=${i}`)),
      )),
      ...(await Promise.all(["volume", "market_cap", "new", "gainers"].map((sort) => get(`/tokens?sort=${sort}`)))),
      await get("/analytics"),
    ];
    expect(answers[1].items).toHaveLength(20);
    expect(answers[2].items.length).toBeGreaterThan(0);
    for (const answer of answers) expect(getNumbers(answer).filter((number) => !Number.isFinite(number))).toEqual([]);
  },
);

/** Creates a simple buy at twice the start price. */
function buy(handmade: Handmade, token: HandmadeToken) {
  const tokens = -(10n ** 21n);
  const quote = 10n ** 15n;
  return handmade.swap(token.pool, {
    ...(token.isToken0 ? { amount0: tokens, amount1: quote } : { amount0: quote, amount1: tokens }),
    sqrtPriceX96: sqrtPriceX96AtTick(token.isToken0 ? -196300 : 196300),
    liquidity: 10n ** 20n,
    tick: token.isToken0 ? -196300 : 196300,
  });
}

test("C2-17 a series with a candle without USD price is in wrapped native, any other is in USD", async () => {
  const handmade = createHandmadeChain();
  const early = handmade.launch("EARLY", true);
  handmade.mine([buy(handmade, early)]);
  handmade.mine([], {}, 3600);
  handmade.mine([handmade.ethUsd(3000)]);
  const late = handmade.launch("LATE", false);
  handmade.mine([buy(handmade, early)]);
  handmade.mine([buy(handmade, late)]);
  const get = await serveHandmadeChain(handmade);
  for (const interval of ["1m", "5m", "1h"]) {
    const mixed = await get(`/tokens/${early.address}/candles?interval=${interval}`);
    expect(mixed, interval).toMatchObject({ quote: "eth", price_usd_available: false });
    expect(mixed.items.length).toBeGreaterThan(1);
    expect(mixed.items.map(({ v }: { v: unknown }) => v)).toEqual(mixed.items.map(() => null));
    const known = await get(`/tokens/${late.address}/candles?interval=${interval}`);
    expect(known, interval).toMatchObject({ quote: "usd", price_usd_available: true });
    expect(known.items.every(({ v }: { v: unknown }) => typeof v === "number")).toBe(true);
  }
  const { items } = await get(`/tokens/${early.address}/trades`);
  expect(items.map((trade: { price_usd: unknown }) => trade.price_usd === null)).toEqual([false, true]);
});
