import type { Client } from "@slipway/sdk/createClient";
import type { JsonRpcProvider } from "ethers";
import { expect } from "vitest";
import { type ChainSwap, chainSwaps, startPrice } from "./chainSwaps.ts";

export type Launch = { token: string; pool: string; weth: string };

const intervals = { "1m": 60, "5m": 300, "1h": 3600, "1d": 86400 } as const;

/**
 * Compares all data of the API about a launch's trades with the chain's own logs: no trade lost or duplicated, every
 * amount exact, candles rebuilt from the logs. The ETH/USD price must not have changed.
 */
export async function expectEqualToChain(
  client: Client,
  provider: JsonRpcProvider,
  launch: Launch,
  ethUsd: number,
): Promise<ChainSwap[]> {
  const tokenIsToken0 = BigInt(launch.token) < BigInt(launch.weth);
  const swaps = await chainSwaps(provider, launch.pool, tokenIsToken0);
  const { items } = await client.listTokenTrades({ address: launch.token, limit: 300 });
  const newestFirst = [...swaps].reverse();
  expect(
    items.map((trade) => ({
      id: trade.id,
      block: trade.block_number,
      time: Date.parse(trade.block_timestamp) / 1000,
      side: trade.side,
      maker: trade.maker,
      recipient: trade.recipient,
      token: trade.token_amount,
      quote: trade.quote_amount,
    })),
  ).toEqual(
    newestFirst.map((swap) => ({
      id: swap.id,
      block: swap.blockNumber,
      time: swap.time,
      side: swap.side,
      maker: swap.maker,
      recipient: swap.recipient,
      token: String(swap.tokenAmount),
      quote: String(swap.quoteAmount),
    })),
  );
  for (const [index, trade] of items.entries()) {
    const swap = newestFirst[index]!;
    const executed = Number(swap.quoteAmount) / Number(swap.tokenAmount);
    expect(trade.price_eth! / executed).toBeCloseTo(1, 9);
    expect(trade.volume_usd! / ((Number(swap.quoteAmount) / 1e18) * ethUsd)).toBeCloseTo(1, 6);
  }

  const detail = await client.getToken({ address: launch.token });
  expect(detail.trades).toEqual(items.slice(0, 50));
  expect(detail.price_eth! / (swaps.at(-1)?.poolPriceEth ?? Number.NaN)).toBeCloseTo(1, 9);
  const opened = await startPrice(provider, launch.pool, tokenIsToken0);
  for (const interval of Object.keys(intervals) as (keyof typeof intervals)[]) {
    await expectCandles(client, launch.token, interval, swaps, opened, ethUsd);
  }
  return swaps;
}

async function expectCandles(
  client: Client,
  address: string,
  interval: keyof typeof intervals,
  swaps: ChainSwap[],
  opened: number,
  ethUsd: number,
): Promise<void> {
  const answer = await client.listTokenCandles({ address, interval });
  expect(answer.quote).toBe("usd");
  const seconds = intervals[interval];
  const buckets = Map.groupBy(swaps, ({ time }) => time - (time % seconds));
  expect(answer.items.map(({ t, n }) => ({ t, n }))).toEqual(
    [...buckets].map(([t, inside]) => ({ t, n: inside.length })),
  );
  let close = opened * ethUsd;
  for (const candle of answer.items) {
    const inside = buckets.get(candle.t)!;
    const prices = [close, ...inside.map(({ poolPriceEth }) => poolPriceEth * ethUsd)];
    const quote = inside.reduce((sum, { quoteAmount }) => sum + Number(quoteAmount) / 1e18, 0);
    const wanted = {
      o: close,
      h: Math.max(...prices),
      l: Math.min(...prices),
      c: prices.at(-1)!,
      vq: quote,
      v: quote * ethUsd,
    };
    for (const [name, value] of Object.entries(wanted)) {
      expect(candle[name as keyof typeof wanted]! / value, `${interval} ${candle.t} ${name}`).toBeCloseTo(1, 6);
    }
    close = prices.at(-1)!;
  }
}
