import { addTrade } from "./addTrade.ts";
import { sumTotals, createBatch, touch } from "./batch.ts";
import type { Sources } from "../sources.ts";
import { createIndexState, type TokenRef } from "../indexState.ts";
import { expect, test } from "vitest";

const locked = 1_000n;

/** What a buy of 10,000 native at 1 USD earned, by a pool as the swap found it and left it; positions from tick 0 to 100. */
function feesOf(before: { tick: number; liquidity: bigint }, after: { tick: number; liquidity: bigint }): number {
  const state = createIndexState({ deployments: [], gasStation: null, ethUsd: null } as unknown as Sources);
  state.ethUsd = 1;
  const batch = createBatch(1, state);
  batch.senders = new Map([["", "0xmaker"]]);
  const token = {
    ...{ batchId: -1, feeBps: 100, protocolFeeBps: 10, poolProtocolFee: 0, isToken0: false, ...after },
    ...{ lockedLiquidity: locked, tickLower: 0, tickUpper: 100, trades: 0, buys: 0, volumeQuote: 0n, volumeUsd: 0n },
    ...{ lastTradeTime: null, lastClose: 1, lastCloseUsd: 1 },
  } as unknown as TokenRef;
  touch(batch, token);
  const quoteAmount = 10_000n * 10n ** 18n;
  addTrade(batch, token, { isBuy: true, tokenAmount: 1n, quoteAmount, price: 1, recipient: "0xr", before });
  const { fees_usd, fees_protocol_usd, fees_collaborators_usd } = sumTotals(batch);
  expect(fees_protocol_usd! + fees_collaborators_usd!).toBe(fees_usd);
  return Number(fees_usd) / 1e6;
}

test("the locked position earns the whole fee where it is alone", () => {
  expect(feesOf({ tick: 10, liquidity: locked }, { tick: 20, liquidity: locked })).toBe(100);
});

test("it shares the fee with whoever else is in range", () => {
  expect(feesOf({ tick: 10, liquidity: 4_000n }, { tick: 20, liquidity: 4_000n })).toBe(25);
});

test("it earns all of the swap that enters or leaves its range, and nothing of those outside", () => {
  expect(feesOf({ tick: 100, liquidity: 0n }, { tick: 90, liquidity: locked })).toBe(100);
  expect(feesOf({ tick: 90, liquidity: locked }, { tick: 100, liquidity: 0n })).toBe(100);
  expect(feesOf({ tick: 120, liquidity: 7_000n }, { tick: 110, liquidity: 7_000n })).toBe(0);
});
