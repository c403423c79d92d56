import type { Log } from "ethers";
import { poolAbi } from "./contractAbis.ts";
import type { Launch } from "./launchChapters.ts";
import type { Scene } from "./scene.ts";
import { DemoFailure } from "./story.ts";

/** A trade as the chain's logs alone tell it. Prices are of one whole token. */
export type ChainTrade = {
  id: string;
  txHash: string;
  logIndex: number;
  blockNumber: number;
  /** Unix seconds. */
  time: number;
  side: "buy" | "sell";
  maker: string;
  recipient: string;
  tokenAmount: bigint;
  quoteAmount: bigint;
  /** USD for one ETH at this trade; null where no pool tells it. */
  ethUsd: number | null;
  /** The pool's price in ETH after this swap. */
  poolPriceEth: number;
};

export type ChainRecord = { trades: ChainTrade[]; startPriceEth: number; startEthUsd: number | null };

type Observation = { blockNumber: number; index: number; price: number };

const q96 = 2 ** 96;

/**
 * Works out a launch's trades from nothing but `eth_getLogs`, blocks and transactions, with ethers: what the
 * service's answers are compared with.
 */
export async function chainRecord(scene: Scene, launch: Launch): Promise<ChainRecord> {
  const tokenIsToken0 = BigInt(launch.token) < BigInt(scene.weth);
  const [logs, observations] = await Promise.all([
    logsOf(scene, launch.pool, launch.blockNumber),
    ethUsdObservations(scene),
  ]);
  const ethUsdAt = (log: { blockNumber: number; index: number }) =>
    observations.findLast(
      (o) => o.blockNumber < log.blockNumber || (o.blockNumber === log.blockNumber && o.index <= log.index),
    )?.price ?? null;
  const start = logs.find((log) => log.topics[0] === poolAbi.getEvent("Initialize")?.topicHash);
  const swaps = logs.filter((log) => log.topics[0] === poolAbi.getEvent("Swap")?.topicHash);
  const trades = await Promise.all(swaps.map((log) => tradeOf(scene, log, tokenIsToken0, ethUsdAt(log))));
  return {
    trades: trades.filter((trade) => trade.tokenAmount > 0n && trade.quoteAmount > 0n),
    startPriceEth: start === undefined ? Number.NaN : priceOf(start, tokenIsToken0, 0),
    startEthUsd: start === undefined ? null : ethUsdAt(start),
  };
}

async function logsOf(scene: Scene, address: string, fromBlock: number): Promise<Log[]> {
  const topics = [[poolAbi.getEvent("Initialize")?.topicHash ?? "", poolAbi.getEvent("Swap")?.topicHash ?? ""]];
  return scene.provider.getLogs({ address, fromBlock, toBlock: "latest", topics });
}

async function tradeOf(scene: Scene, log: Log, tokenIsToken0: boolean, ethUsd: number | null): Promise<ChainTrade> {
  const [block, transaction] = await Promise.all([
    scene.provider.getBlock(log.blockNumber),
    scene.provider.getTransaction(log.transactionHash),
  ]);
  const swap = eventOf<{ recipient: string; amount0: bigint; amount1: bigint }>(log);
  const [token, quote] = tokenIsToken0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
  const size = (value: bigint) => (value < 0n ? -value : value);
  return {
    id: `${log.transactionHash}:${log.index}`,
    txHash: log.transactionHash,
    logIndex: log.index,
    blockNumber: log.blockNumber,
    time: block?.timestamp ?? 0,
    // Amounts are the pool's: what it receives is positive.
    side: quote > 0n ? "buy" : "sell",
    maker: transaction?.from ?? "",
    recipient: swap.recipient,
    tokenAmount: size(token),
    quoteAmount: size(quote),
    ethUsd,
    poolPriceEth: priceOf(log, tokenIsToken0, 0),
  };
}

/** Every price that the ETH/USD pool ever showed, oldest first. */
async function ethUsdObservations(scene: Scene): Promise<Observation[]> {
  const source = scene.manifest.eth_usd;
  if (source === null) return [];
  const ethIsToken0 = BigInt(scene.weth) < BigInt(source.stablecoin.address);
  const logs = await logsOf(scene, source.pool, 0);
  return logs.map((log) => ({
    blockNumber: log.blockNumber,
    index: log.index,
    price: priceOf(log, ethIsToken0, 18 - source.stablecoin_decimals),
  }));
}

function eventOf<T>(log: Log): T {
  const parsed = poolAbi.parseLog(log);
  if (parsed === null) throw new DemoFailure(`the pool's log ${log.transactionHash}:${log.index} cannot be read`);
  return parsed.args as unknown as T;
}

/** The price of one whole base asset after an event, from its square root times 2^96. */
function priceOf(log: Log, baseIsToken0: boolean, decimalsApart: number): number {
  const { sqrtPriceX96 } = eventOf<{ sqrtPriceX96: bigint }>(log);
  const ratio = (Number(sqrtPriceX96) / q96) ** 2;
  return baseIsToken0 ? ratio * 10 ** decimalsApart : 10 ** decimalsApart / ratio;
}

/** One bucket, prices in the unit of the series. */
export type ChainCandle = { t: number; o: number; h: number; l: number; c: number; vq: number; n: number; usd: number };

/** The buckets of `seconds` that the trades make; each opens at the close before it, the first at the start price. */
export function candlesOf(record: ChainRecord, seconds: number, quote: "usd" | "eth"): ChainCandle[] {
  const unit = (priceEth: number, ethUsd: number | null) =>
    quote === "eth" ? priceEth : priceEth * (ethUsd ?? Number.NaN);
  const candles: ChainCandle[] = [];
  let close = unit(record.startPriceEth, record.startEthUsd);
  for (const trade of record.trades) {
    const t = trade.time - (trade.time % seconds);
    const price = unit(trade.poolPriceEth, trade.ethUsd);
    let candle = candles.at(-1);
    if (candle?.t !== t) {
      candle = { t, o: close, h: close, l: close, c: close, vq: 0, n: 0, usd: 0 };
      candles.push(candle);
    }
    candle.h = Math.max(candle.h, price);
    candle.l = Math.min(candle.l, price);
    candle.c = price;
    candle.vq += Number(trade.quoteAmount) / 1e18;
    candle.usd += (Number(trade.quoteAmount) / 1e18) * (trade.ethUsd ?? Number.NaN);
    candle.n += 1;
    close = price;
  }
  return candles;
}
