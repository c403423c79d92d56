import type { Deps } from "@slipway/server/deps";
import { type Address, encodeDeployData, getAddress, parseAbi, parseAbiItem, parseEther } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { buildTestApp } from "../../support/buildTestApp.ts";
import { createFeedReader, type FeedKind } from "../../support/feeds/createFeedReader.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";
import { compileAttacker } from "../../support/security/compileAttacker.ts";
import { pinnedState } from "../../support/server/readApp.ts";

const fixture = useIndexerFixture();
const { openDeps, start, untilCaughtUp, expectIndexEqualsChain, runSampleActivity } = fixture;

const swapEvent = parseAbiItem(
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
);
const mintEvent = parseAbiItem(
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
);
const burnEvent = parseAbiItem(
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
);
const balanceAbi = parseAbi(["function balanceOf(address) view returns (uint256)"]);
const slotAbi = parseAbi([
  "function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)",
  "function tickSpacing() view returns (int24)",
]);

/** Serves the API over the index. */
async function openApp(deps: Deps) {
  const manifestState = () => pinnedState(fixture.chain().manifest);
  const { app } = await buildTestApp({ ...deps, chain: { ...deps.chain, manifestState } as unknown as Deps["chain"] });
  onTestFinished(() => app.close());
  const get = async (url: string) => {
    const answer = await app.inject({ method: "GET", url });
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`);
    return answer.json();
  };
  return { get, openFeed: (kind: FeedKind) => createFeedReader(kind, (path) => get(`/feeds/${kind}${path}`)) };
}

/** Adds wrapped native to a pool outside of its price, where it needs no token, and takes a part of it out again. */
async function addAndRemoveLiquidity(pool: Address, token: Address): Promise<void> {
  const chain = fixture.chain();
  const { abi, bytecode } = compileAttacker("EarlyLiquidity");
  const deployed = await chain.send(5, { data: encodeDeployData({ abi, bytecode, args: [chain.weth] }) });
  const write = (functionName: string, args: unknown[], value?: bigint) =>
    chain.write(5, { address: deployed.contractAddress!, abi, functionName, args, value } as never);
  const [, tick] = await chain.client.readContract({ address: pool, abi: slotAbi, functionName: "slot0" });
  const spacing = await chain.client.readContract({ address: pool, abi: slotAbi, functionName: "tickSpacing" });
  const start = Math.floor(tick / spacing) * spacing;
  const isWethFirst = chain.weth.toLowerCase() < token.toLowerCase();
  const range = isWethFirst ? [start + spacing, start + 3 * spacing] : [start - 2 * spacing, start];
  await write("place", [pool, ...range, 3n * 10n ** 18n], parseEther("500"));
  await write("take", [pool, ...range, 10n ** 18n]);
  await write("collect", [pool, ...range]);
}

/** Returns the sums of a pool's own logs up to a block. */
async function sumLogs(pool: Address, toBlock: bigint) {
  const { client } = fixture.chain();
  const options = { address: pool, fromBlock: 0n, toBlock } as const;
  const swaps = await client.getLogs({ ...options, event: swapEvent });
  const mints = await client.getLogs({ ...options, event: mintEvent });
  const burns = (await client.getLogs({ ...options, event: burnEvent })).filter(({ args }) => args.amount! > 0n);
  const sum = (values: readonly (bigint | undefined)[]) => values.reduce<bigint>((a, b) => a + (b ?? 0n), 0n);
  const paid = (values: readonly (bigint | undefined)[]) => sum(values.filter((value) => value! > 0n));
  const [amounts0, amounts1] = [swaps.map(({ args }) => args.amount0), swaps.map(({ args }) => args.amount1)];
  return {
    swaps: swaps.length,
    joins: mints.length,
    exits: burns.length,
    in0: paid(amounts0),
    in1: paid(amounts1),
    out0: paid(amounts0) - sum(amounts0),
    out1: paid(amounts1) - sum(amounts1),
    added0: sum(mints.map(({ args }) => args.amount0)),
    added1: sum(mints.map(({ args }) => args.amount1)),
    removed0: sum(burns.map(({ args }) => args.amount0)),
    removed1: sum(burns.map(({ args }) => args.amount1)),
  };
}

test("C5-53 feeds read block by block, each block once, equal the chain although it is reorganised", async () => {
  const chain = fixture.chain();
  // A reader of single blocks sends more requests than one address may.
  const limits = { READ_LIMIT_PER_SECOND: "1000000", READ_LIMIT_BURST: "1000000" };
  const deps = await openDeps({ env: { REORG_WINDOW_SECONDS: "1", ...limits } });
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  const { get, openFeed } = await openApp(deps);
  const reader = openFeed("dexscreener");
  /** Makes all blocks final: the window has at least 64 blocks, and begins at the end of a batch. */
  const untilFinal = async () => {
    for (let batch = 0; batch < 2; batch++) {
      // Also ends the minute of the last trade.
      await chain.test.increaseTime({ seconds: 70 });
      await chain.mine(65);
      await untilCaughtUp(indexer);
    }
  };

  const launched = await runSampleActivity();
  await addAndRemoveLiquidity(launched.pool, launched.token);
  // The reader is in the middle of the history while the chain is reorganised.
  await untilFinal();
  for (let round = 0; round < 3; round++) {
    await chain.buy(1, launched.token, "0.1");
    await chain.sell(1, launched.token, 10n);
    await chain.collect(launched.token);
    await untilCaughtUp(indexer);
    await reader.advance(1);
    await chain.reorg(3 + 20 * round);
    await chain.mine(30);
    await untilCaughtUp(indexer);
    await reader.advance(7);
  }
  // More trades than rows with stored reserves.
  for (let trade = 0; trade < 34; trade++) await chain.buy(2, launched.token, "0.01");
  await untilFinal();
  await expectIndexEqualsChain(deps);
  const latest = await reader.advance(1);
  const others = openFeed("geckoterminal");
  await others.advance(10_000);
  expect(others.pairs).toEqual(reader.pairs);

  const tokens = (await get("/api/v1/launchpad/tokens")).items;
  expect([...reader.pairs.keys()].sort()).toEqual(tokens.map((token: { pool: string }) => token.pool).sort());
  for (const [pool, { asset0, asset1, reserve0, reserve1, ...sums }] of reader.pairs) {
    expect(sums).toEqual(await sumLogs(pool as Address, BigInt(latest)));
    const held = (asset: string) =>
      chain.client.readContract({
        address: asset as Address,
        abi: balanceAbi,
        functionName: "balanceOf",
        args: [pool as Address],
        blockNumber: BigInt(latest),
      });
    expect([reserve0, reserve1]).toEqual([await held(asset0), await held(asset1)]);
  }
  const main = reader.pairs.get(getAddress(launched.pool))!;
  expect([main.exits, main.joins, main.swaps > 34]).toEqual([1, 2, true]);

  // Every bar is final, so charts have the candles of the API.
  const { items } = await get(`/api/v1/launchpad/tokens/${launched.token}/candles?interval=1m`);
  const bars = await get(`/feeds/udf/history?symbol=${launched.token}&resolution=1&from=0&to=9999999999&countback=300`);
  const column = (name: string) => items.map((candle: Record<string, number>) => candle[name]);
  expect(items.length).toBeGreaterThan(1);
  expect(bars).toEqual({
    s: "ok",
    t: column("t"),
    o: column("o"),
    h: column("h"),
    l: column("l"),
    c: column("c"),
    v: column("v"),
  });

  // The events of the API are those of the feed, with blocks that are not final yet.
  const events = await get(`/api/v1/launchpad/events?from_block=0&to_block=${latest}&limit=1000`);
  expect(events).toMatchObject({ final_block: latest, next_cursor: null, to_block: latest });
  const counts = [...reader.pairs.values()].map(({ swaps, joins, exits }) => swaps + joins + exits);
  expect(events.items).toHaveLength(counts.reduce((a, b) => a + b));
  await chain.buy(1, launched.token, "0.1");
  await untilCaughtUp(indexer);
  const newest = await get(`/api/v1/launchpad/events?from_block=${latest + 1}`);
  expect(newest.items.map(({ kind, side }: { kind: string; side: string }) => [kind, side])).toEqual([["swap", "buy"]]);
});
