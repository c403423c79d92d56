import { setTimeout as sleep } from "node:timers/promises";
import type { IndexedTrade } from "@slipway/protocol/indexed";
import { type ChainRecord, type ChainTrade, computeCandles, readChainRecord } from "./chainRecord.ts";
import { poolAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure } from "./demoContext.ts";
import type { Launch } from "./launchSteps.ts";

const indexTimeoutMs = 120_000;

/** Compares the API's list, detail, trades and candles with the chain's logs. */
export async function indexStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter } = context;
  reporter.step(
    "What the index shows",
    "List, detail, trades and candles, compared with the chain's logs read through ethers.",
  );
  const record = await readChainRecord(context, launch);
  const expected = record.trades.toReversed();
  const trades = await waitForTrades(context, launch, expected.length);
  reporter.expectEqual(
    "trades of the API are the Swap logs of the pool, newest first",
    trades.map(toFacts),
    expected.map(toChainFacts),
  );
  for (const [index, trade] of expected.entries()) checkPrices(context, trades[index]!, trade);
  await checkCandles(context, launch, record);
  await checkListAndDetail(context, launch, record, trades);
}

async function waitForTrades({ client }: DemoContext, launch: Launch, count: number): Promise<IndexedTrade[]> {
  const deadline = Date.now() + indexTimeoutMs;
  for (;;) {
    // A public answer may be cached for ten seconds, which is less than the deadline.
    const { items } = await client.listTokenTrades({ address: launch.token, limit: 300 });
    if (items.length >= count) return items;
    if (Date.now() > deadline)
      throw new DemoFailure(`the index shows ${items.length} of ${count} trades after two minutes`);
    await sleep(50);
  }
}

function toFacts(trade: IndexedTrade): unknown[] {
  const { id, tx_hash, log_index, block_number, side, maker, recipient, token_amount, quote_amount } = trade;
  const time = Date.parse(trade.block_timestamp) / 1000;
  return [id, tx_hash, log_index, block_number, time, side, maker, recipient, token_amount, quote_amount];
}

function toChainFacts(trade: ChainTrade): unknown[] {
  const { id, txHash, logIndex, blockNumber, time, side, maker, recipient, tokenAmount, quoteAmount } = trade;
  return [id, txHash, logIndex, blockNumber, time, side, maker, recipient, tokenAmount, quoteAmount];
}

function checkPrices({ reporter }: DemoContext, shown: IndexedTrade, trade: ChainTrade): void {
  const priceEth = Number(trade.quoteAmount) / Number(trade.tokenAmount);
  const toUsd = (eth: number) => (trade.ethUsd === null ? null : eth * trade.ethUsd);
  const volumeUsd = toUsd(Number(trade.quoteAmount) / 1e18);
  const title = `the ${trade.side}'s price is the amount paid per token: ${priceEth.toExponential(4)} ETH`;
  reporter.expectClose(title, shown.price_eth, priceEth);
  reporter.expectClose("in USD by the ETH/USD pool at that block", shown.price_usd, toUsd(priceEth));
  reporter.expectClose("and so is its volume", shown.volume_usd, volumeUsd, 1e-6);
}

async function checkCandles({ reporter, client }: DemoContext, launch: Launch, record: ChainRecord): Promise<void> {
  for (const [interval, seconds] of [
    ["1m", 60],
    ["1h", 3_600],
  ] as const) {
    const { items, quote } = await client.listTokenCandles({ address: launch.token, interval });
    const expected = computeCandles(record, seconds, quote);
    reporter.expectEqual(
      `${interval} candles: the buckets with trades, and no others`,
      items.map((c) => [c.t, c.n]),
      expected.map((c) => [c.t, c.n]),
    );
    for (const [index, candle] of expected.entries()) {
      const title = `${interval} bucket ${index + 1}`;
      const item = items[index]!;
      for (const field of ["o", "h", "l", "c", "vq"] as const) {
        reporter.expectClose(`${title}, ${field} = ${candle[field].toPrecision(6)}`, item[field], candle[field]);
      }
      if (quote === "usd") reporter.expectClose(`${title}, USD volume`, item.v ?? null, candle.usd, 1e-6);
    }
  }
}

async function checkListAndDetail(
  context: DemoContext,
  launch: Launch,
  record: ChainRecord,
  trades: IndexedTrade[],
): Promise<void> {
  const { reporter, client, weth, creator, manifest } = context;
  const { token, pool, txHash, blockNumber } = launch;
  const { intent } = launch.draft;
  const policy = { total_bps: 100, protocol_bps: 10, collaborators_bps: 90 };
  const { name, symbol } = intent;
  const identity = [token, pool, weth, name, symbol, creator.address, txHash, blockNumber, policy];
  const lastPrice = record.trades.at(-1)?.poolPriceEth ?? record.startPriceEth;
  const count = (side: string) => record.trades.filter((trade) => trade.side === side).length;

  const list = await client.listTokens({ sort: "new", limit: 300 });
  const listed = list.items.find(({ address }) => address.toLowerCase() === token.toLowerCase());
  if (!listed) throw new DemoFailure("the token is not in GET /tokens?sort=new");
  const detail = await client.getToken({ address: token });
  for (const [where, item] of Object.entries({ list: listed, detail })) {
    reporter.expectEqual(
      `${where}: token, pool, creator, launch transaction and policy`,
      [
        ...[item.address, item.pool, item.quote_token, item.name, item.symbol],
        ...[item.creator, item.tx_hash, item.block_number, item.fee_policy],
      ],
      identity,
    );
    const counts = [item.buys_24h, item.sells_24h];
    reporter.expectEqual(`${where}: buys and sells of 24 h`, counts, [count("buy"), count("sell")]);
    reporter.expectClose(`${where}: the price is the pool's`, item.price_eth, lastPrice);
  }
  const [{ sqrtPriceX96, tick }, liquidity] = await Promise.all([
    context.read<{ sqrtPriceX96: bigint; tick: bigint }>(pool, poolAbi, "slot0"),
    context.read<bigint>(pool, poolAbi, "liquidity"),
  ]);
  const { pool_state: state, splitter, recipients, liquidity_lock, description, website } = detail;
  reporter.expectEqual(
    "detail: the pool's state is slot0's",
    [state.sqrt_price_x96, state.tick, state.liquidity],
    [sqrtPriceX96, Number(tick), liquidity],
  );
  const toShares = (shares: { wallet: string; share_bps: number }[] = []) =>
    shares
      .map(({ wallet, share_bps }) => [wallet.toLowerCase(), share_bps] as const)
      .sort(([a], [b]) => a.localeCompare(b));
  reporter.expectEqual(
    "detail: splitter and recipients are the draft's",
    [splitter, toShares(recipients)],
    [launch.splitter, toShares(intent.recipients)],
  );
  const { locker } = liquidity_lock;
  const pinnedLocker = manifest.current.fee_locker.address;
  reporter.expectEqual("detail: the position is locked in the pinned locker", locker, pinnedLocker);
  const texts = [intent.description, intent.website];
  reporter.expectEqual("detail: description and website", [description, website], texts);
  const newest = trades.slice(0, 50);
  reporter.expectEqual("detail: its trades are the same", detail.trades.map(toFacts), newest.map(toFacts));
}
