import { expect, test } from "vitest";
import { createIndexState, type TokenRef } from "../indexState.ts";
import type { Sources } from "../sources.ts";
import { addTrade } from "./addTrade.ts";
import { createBatch, sumTotals, touch } from "./batch.ts";

const locked = 1_000n;

/** Fees in USD of a buy of 10,000 native at 1 USD, by the pool before and after the swap. Position: ticks 0 to 100. */
function computeFees(before: { tick: number; liquidity: bigint }, after: { tick: number; liquidity: bigint }): number {
  const state = createIndexState({
    deployments: [],
    openingFactories: [],
    gasStation: null,
    ethUsd: null,
  } as unknown as Sources);
  state.ethUsd.add({ block_number: 0, block_time: 0, price: 1 });
  const batch = createBatch(1, state, []);
  batch.at.blockNumber = 1;
  const token = {
    batchId: -1,
    feeBps: 100,
    protocolFeeBps: 10,
    poolProtocolFee: 0,
    isToken0: false,
    ...after,
    lockedLiquidity: locked,
    tickLower: 0,
    tickUpper: 100,
    trades: 0,
    buys: 0,
    volumeQuote: 0n,
    volumeUsd: 0n,
    lastTradeTime: null,
    lastClose: 1,
    lastCloseUsd: 1,
  } as unknown as TokenRef;
  touch(batch, token);
  const quoteAmount = 10_000n * 10n ** 18n;
  addTrade(batch, token, { isBuy: true, quoteAmount, price: 1, account: "0xtrader", before });
  const { fees_usd, fees_protocol_usd, fees_collaborators_usd } = sumTotals(batch);
  expect(fees_protocol_usd! + fees_collaborators_usd!).toBe(fees_usd);
  return Number(fees_usd) / 1e6;
}

test("the locked position earns the whole fee if no other position is in range", () => {
  expect(computeFees({ tick: 10, liquidity: locked }, { tick: 20, liquidity: locked })).toBe(100);
});

test("the locked position shares the fee with all liquidity in range", () => {
  expect(computeFees({ tick: 10, liquidity: 4_000n }, { tick: 20, liquidity: 4_000n })).toBe(25);
});

test("the locked position earns the whole fee of a swap that enters or leaves its range, and no fee of swaps outside", () => {
  expect(computeFees({ tick: 100, liquidity: 0n }, { tick: 90, liquidity: locked })).toBe(100);
  expect(computeFees({ tick: 90, liquidity: locked }, { tick: 100, liquidity: 0n })).toBe(100);
  expect(computeFees({ tick: 120, liquidity: 7_000n }, { tick: 110, liquidity: 7_000n })).toBe(0);
});
