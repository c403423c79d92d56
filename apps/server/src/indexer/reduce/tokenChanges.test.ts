import { expect, test } from "vitest";
import { createIndexState, type TokenRef } from "../indexState.ts";
import type { Sources } from "../sources.ts";
import { createBatch, touch } from "./batch.ts";
import { takeTokenChanges } from "./tokenChanges.ts";

test("taking the changes of a batch removes them from the index state", () => {
  const state = createIndexState({
    deployments: [],
    openingFactories: [],
    gasStation: null,
    ethUsd: null,
  } as unknown as Sources);
  const batch = createBatch(1, state, []);
  const token = {
    id: 1,
    pool: "0xp",
    locker: "0xl",
    batchId: -1,
    sqrtPriceX96: 1n << 96n,
    lockedLiquidity: 10n,
    tickLower: -200,
    tickUpper: 200,
    isToken0: true,
    startPrice: 1,
    lastClose: 1,
    totalSupply: 5n,
    burned: 0n,
  } as TokenRef;
  touch(batch, token);
  token.traders.set("0xa", 100);
  token.deltas.set("0xa", [{ block: 1, time: 100, delta: 5n }]);
  const changes = takeTokenChanges(batch);
  expect(changes.balances).toEqual([
    { token_id: 1, account: "0xa", delta: 5n, lowest: 0n, counts: true, turns: [{ t: 60, came: true }] },
  ]);
  expect(changes.traders.map((row) => row.token_id)).toEqual([1, 0]);
  expect([token.traders.size, token.deltas.size, token.candles.length]).toEqual([0, 0, 0]);
});
