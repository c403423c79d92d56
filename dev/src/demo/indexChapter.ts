import type { IndexedCandles, IndexedTokens, IndexedTrade, TokenDetail } from "@slipway/protocol/indexed";
import { type ChainRecord, type ChainTrade, candlesOf, chainRecord } from "./chainRecord.ts";
import { poolAbi } from "./contractAbis.ts";
import type { Launch } from "./launchChapters.ts";
import type { Scene } from "./scene.ts";
import { DemoFailure } from "./story.ts";

const indexPatienceMs = 30_000;

/** Chapter: list, detail, trades and candles of the API against what the chain's own logs say. */
export async function indexChapter(scene: Scene, launch: Launch): Promise<void> {
  const { story } = scene;
  story.chapter(
    "What the index shows",
    "List, detail, trades and candles, compared with the chain's logs read through ethers.",
  );
  const record = await chainRecord(scene, launch);
  const trades = await indexedTrades(scene, launch, record.trades.length);
  story.same(
    "trades of the API are the Swap logs of the pool, newest first",
    trades.map(facts),
    record.trades.toReversed().map(chainFacts),
  );
  for (const [index, trade] of record.trades.toReversed().entries())
    checkPrices(scene, trades[index] as IndexedTrade, trade);
  await checkCandles(scene, launch, record);
  await checkListAndDetail(scene, launch, record, trades);
}

async function indexedTrades(scene: Scene, launch: Launch, count: number): Promise<IndexedTrade[]> {
  const deadline = Date.now() + indexPatienceMs;
  for (;;) {
    // The age of a public answer is at most ten seconds; a query of its own is not needed to pass that.
    const { items } = await scene.api.get<{ items: IndexedTrade[] }>(`/tokens/${launch.token}/trades?limit=300`);
    if (items.length >= count) return items;
    if (Date.now() > deadline) throw new DemoFailure(`the index shows ${items.length} of ${count} trades after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function facts(trade: IndexedTrade): unknown[] {
  const { id, tx_hash, log_index, block_number, side, maker, recipient, token_amount, quote_amount } = trade;
  const time = Date.parse(trade.block_timestamp) / 1000;
  return [id, tx_hash, log_index, block_number, time, side, maker, recipient, token_amount, quote_amount];
}

function chainFacts(trade: ChainTrade): unknown[] {
  const { id, txHash, logIndex, blockNumber, time, side, maker, recipient, tokenAmount, quoteAmount } = trade;
  return [id, txHash, logIndex, blockNumber, time, side, maker, recipient, tokenAmount, quoteAmount];
}

function checkPrices(scene: Scene, shown: IndexedTrade, trade: ChainTrade): void {
  const { story } = scene;
  const priceEth = Number(trade.quoteAmount) / Number(trade.tokenAmount);
  const usd = (eth: number) => (trade.ethUsd === null ? null : eth * trade.ethUsd);
  story.close(
    `the ${trade.side}'s price is what was paid per token: ${priceEth.toExponential(4)} ETH`,
    shown.price_eth,
    priceEth,
  );
  story.close("in USD by the ETH/USD pool at that block", shown.price_usd, usd(priceEth));
  story.close("and so is its volume", shown.volume_usd, usd(Number(trade.quoteAmount) / 1e18), 1e-6);
}

async function checkCandles(scene: Scene, launch: Launch, record: ChainRecord): Promise<void> {
  for (const [interval, seconds] of [
    ["1m", 60],
    ["1h", 3_600],
  ] as const) {
    const shown = await scene.api.get<IndexedCandles>(`/tokens/${launch.token}/candles?interval=${interval}`);
    const expected = candlesOf(record, seconds, shown.quote);
    const { story } = scene;
    story.same(
      `${interval} candles: the buckets with trades, and no others`,
      shown.items.map((c) => [c.t, c.n]),
      expected.map((c) => [c.t, c.n]),
    );
    for (const [index, candle] of expected.entries()) {
      const item = shown.items[index];
      for (const field of ["o", "h", "l", "c", "vq"] as const) {
        story.close(
          `${interval} bucket ${index + 1}, ${field} = ${candle[field].toPrecision(6)}`,
          item?.[field] ?? null,
          candle[field],
        );
      }
      if (shown.quote === "usd")
        story.close(`${interval} bucket ${index + 1}, USD volume`, item?.v ?? null, candle.usd, 1e-6);
    }
  }
}

async function checkListAndDetail(
  scene: Scene,
  launch: Launch,
  record: ChainRecord,
  trades: IndexedTrade[],
): Promise<void> {
  const { story, api, weth, creator, manifest } = scene;
  const { intent } = launch.draft;
  const lastPrice = record.trades.at(-1)?.poolPriceEth ?? record.startPriceEth;
  const policy = { total_bps: 100, protocol_bps: 10, collaborators_bps: 90 };
  const identity = [
    launch.token,
    launch.pool,
    weth,
    intent.name,
    intent.symbol,
    creator.address,
    launch.txHash,
    launch.blockNumber,
    policy,
  ];

  const list = await api.get<IndexedTokens>("/tokens?sort=new&limit=300");
  const listed = list.items.find(({ address }) => address.toLowerCase() === launch.token.toLowerCase());
  if (!listed) throw new DemoFailure("the token is not in GET /tokens?sort=new");
  const detail = await api.get<TokenDetail>(`/tokens/${launch.token}`);
  for (const [where, item] of [
    ["list", listed],
    ["detail", detail],
  ] as const) {
    story.same(
      `${where}: token, pool, creator, launch transaction and policy`,
      [
        item.address,
        item.pool,
        item.quote_token,
        item.name,
        item.symbol,
        item.creator,
        item.tx_hash,
        item.block_number,
        item.fee_policy,
      ],
      identity,
    );
    const counts = (side: string) => record.trades.filter((trade) => trade.side === side).length;
    story.same(`${where}: buys and sells of 24 h`, [item.buys_24h, item.sells_24h], [counts("buy"), counts("sell")]);
    story.close(`${where}: the price is the pool's`, item.price_eth, lastPrice);
  }
  const [{ sqrtPriceX96, tick }, liquidity] = await Promise.all([
    scene.read<{ sqrtPriceX96: bigint; tick: bigint }>(launch.pool, poolAbi, "slot0"),
    scene.read<bigint>(launch.pool, poolAbi, "liquidity"),
  ]);
  const state = detail.pool_state;
  story.same(
    "detail: the pool's state is slot0's",
    [state.sqrt_price_x96, state.tick, state.liquidity],
    [sqrtPriceX96, Number(tick), liquidity],
  );
  const byWallet = (a: { wallet: string }, b: { wallet: string }) =>
    a.wallet.toLowerCase().localeCompare(b.wallet.toLowerCase());
  const plain = ({ wallet, share_bps }: { wallet: string; share_bps: number }) => ({ wallet, share_bps });
  story.same(
    "detail: splitter and recipients are the draft's",
    [detail.splitter, detail.recipients.map(plain).sort(byWallet)],
    [launch.splitter, (intent.recipients ?? []).map(plain).sort(byWallet)],
  );
  story.same(
    "detail: the position is locked in the pinned locker",
    detail.liquidity_lock.locker,
    manifest.current.fee_locker.address,
  );
  story.same(
    "detail: description and website",
    [detail.description, detail.website],
    [intent.description, intent.website],
  );
  story.same("detail: its trades are the same", detail.trades.map(facts), trades.slice(0, 50).map(facts));
}
