import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { expect, test } from "vitest";
import { createHandmadeChain, type HandmadeToken } from "../../support/indexer/handmadeChain.ts";
import { serveHandmadeChain } from "../../support/indexer/serveHandmadeChain.ts";

type Handmade = ReturnType<typeof createHandmadeChain>;

const trader = `0x${"ab".repeat(20)}`;
const honestUsd = 3_000;
const pushedUsd = 100 * honestUsd;
const ether = 10n ** 18n;

/** Creates a trade of a pool: a buy for native, or a sell if the amount is negative. */
function trade(handmade: Handmade, { pool, isToken0 }: HandmadeToken, nativeInWei: bigint) {
  const tokens = nativeInWei > 0n ? -(10n ** 22n) : 10n ** 22n;
  const tick = isToken0 ? -196_300 : 196_300;
  return handmade.swap(pool, {
    ...(isToken0 ? { amount0: tokens, amount1: nativeInWei } : { amount0: nativeInWei, amount1: tokens }),
    sqrtPriceX96: sqrtPriceX96AtTick(tick),
    liquidity: 10n ** 20n,
    tick,
  });
}

/** The logs of one block, by the address of the acting token. */
type Attack = (handmade: Handmade, own: HandmadeToken, stranger: HandmadeToken) => void;

/** Indexes two launches and an attack, then an honest sell, and returns every USD figure of the API. */
async function readFigures(attack: Attack) {
  const handmade = createHandmadeChain();
  handmade.mine([handmade.ethUsd(honestUsd)]);
  handmade.mine([], {}, 900);
  const own = handmade.launch("OWN", true);
  const stranger = handmade.launch("STRANGER", false);
  attack(handmade, own, stranger);
  handmade.mine([trade(handmade, own, -12n * ether)]);
  const get = await serveHandmadeChain(handmade);
  const readToken = async ({ address }: HandmadeToken) => {
    const { volume_24h_usd, market_cap_usd, price_usd, fdv_usd, windows } = await get(`/tokens/${address}`);
    const { items: trades } = await get(`/tokens/${address}/trades`);
    const { items: candles } = await get(`/tokens/${address}/candles?interval=1h`);
    return {
      volume_24h_usd,
      market_cap_usd,
      price_usd,
      fdv_usd,
      windows,
      trades: trades.map((row: any) => [row.side, row.price_usd, row.volume_usd]),
      candles: candles.map(({ o, h, l, c, v }: any) => [o, h, l, c, v]),
    };
  };
  const { as_of, coverage, ...analytics } = await get("/analytics");
  const wallet = await get(`/wallets/${trader}`);
  return { own: await readToken(own), stranger: await readToken(stranger), analytics, profit: wallet.profit };
}

const buyBoth: Attack = (handmade, own, stranger) =>
  handmade.mine([trade(handmade, own, 10n * ether), trade(handmade, stranger, ether)]);

test("C2-23 a price that is pushed and restored in one block changes no USD figure", async () => {
  const honest = await readFigures(buyBoth);
  expect(honest.own.volume_24h_usd).toBe(22 * honestUsd);
  expect(honest.stranger.volume_24h_usd).toBe(honestUsd);
  expect(honest.profit.realized_usd).toBe(2 * honestUsd);
  expect(honest.own.market_cap_usd).toBeGreaterThan(0);
  const attacked = await readFigures((handmade, own, stranger) =>
    handmade.mine([
      handmade.ethUsd(pushedUsd),
      trade(handmade, own, 10n * ether),
      trade(handmade, stranger, ether),
      handmade.ethUsd(honestUsd),
    ]),
  );
  expect(attacked).toEqual(honest);
});

test("C2-23 a price that is held from one block to the next changes no USD figure", async () => {
  const honest = await readFigures((handmade, own, stranger) => {
    handmade.mine();
    buyBoth(handmade, own, stranger);
  });
  const attacked = await readFigures((handmade, own, stranger) => {
    handmade.mine([handmade.ethUsd(pushedUsd)]);
    handmade.mine([trade(handmade, own, 10n * ether), trade(handmade, stranger, ether), handmade.ethUsd(honestUsd)]);
  });
  expect(attacked).toEqual(honest);
});

test("C2-23 a launch in the block of a pushed price has the honest price in USD", async () => {
  const handmade = createHandmadeChain();
  handmade.mine([handmade.ethUsd(honestUsd)]);
  handmade.mine([handmade.ethUsd(pushedUsd)]);
  const token = handmade.launch("EARLY", true);
  handmade.mine([trade(handmade, token, ether), handmade.ethUsd(honestUsd)]);
  const get = await serveHandmadeChain(handmade);
  const { items } = await get(`/tokens/${token.address}/candles?interval=1h`);
  const { items: native } = await get(`/tokens/${token.address}/trades`);
  expect(native[0].volume_usd).toBe(honestUsd);
  expect(items[0].h / items[0].o).toBeLessThan(3);
});

test("C2-23 a price that stays pushed is not shown: figures are unknown until the pool has it for half of the window", async () => {
  const handmade = createHandmadeChain();
  handmade.mine([handmade.ethUsd(honestUsd)]);
  const token = handmade.launch("HELD", true);
  handmade.mine([trade(handmade, token, ether)]);
  handmade.mine([handmade.ethUsd(pushedUsd)]);
  handmade.mine([trade(handmade, token, ether)], {}, 290);
  const get = await serveHandmadeChain(handmade);
  const { price_usd, market_cap_usd, volume_24h_usd } = await get(`/tokens/${token.address}`);
  expect({ price_usd, market_cap_usd, volume_24h_usd }).toEqual({
    price_usd: null,
    market_cap_usd: null,
    volume_24h_usd: 2 * honestUsd,
  });
  expect((await get("/config")).oracle).toMatchObject({ price: null, reason: "deviation" });
});

test("C2-76 a swap of nothing in a pool without liquidity gives no price, also after the window", async () => {
  const handmade = createHandmadeChain();
  handmade.mine([handmade.ethUsd(honestUsd)]);
  const token = handmade.launch("EMPTY", true);
  handmade.mine([trade(handmade, token, ether)]);
  handmade.mine([handmade.ethUsd(pushedUsd, 0n)]);
  handmade.mine([], {}, 900);
  const get = await serveHandmadeChain(handmade);
  const { price_usd, market_cap_usd, fdv_usd } = await get(`/tokens/${token.address}`);
  expect({ price_usd, market_cap_usd, fdv_usd }).toEqual({ price_usd: null, market_cap_usd: null, fdv_usd: null });
  expect((await get("/config")).oracle).toMatchObject({ price: null, reason: "thin_liquidity", liquidity: "0" });
});
