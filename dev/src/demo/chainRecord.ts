import type { Log } from "ethers";
import { poolAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure } from "./demoContext.ts";
import type { Launch } from "./launchSteps.ts";

/** A trade derived only from the chain's logs. Prices are for one whole token. */
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
  /** USD for one ETH at this trade; null without an ETH/USD pool. */
  ethUsd: number | null;
  /** The pool's price in ETH after this swap. */
  poolPriceEth: number;
};

export type ChainRecord = { trades: ChainTrade[]; startPriceEth: number; startEthUsd: number | null };

/** The price of the ETH/USD pool after a log, and the Unix seconds of the log's block. */
type Observation = { blockNumber: number; time: number; price: number };

const q96 = 2 ** 96;
const initializeTopic = poolAbi.getEvent("Initialize")?.topicHash ?? "";
const swapTopic = poolAbi.getEvent("Swap")?.topicHash ?? "";

/**
 * Derives a launch's trades only from `eth_getLogs`, blocks and transactions, with ethers: the reference for the
 * service's answers.
 */
export async function readChainRecord(context: DemoContext, launch: Launch): Promise<ChainRecord> {
  const tokenIsToken0 = BigInt(launch.token) < BigInt(context.weth);
  const [logs, observations] = await Promise.all([
    readPoolLogs(context, launch.pool, launch.blockNumber),
    readEthUsdObservations(context),
  ]);
  const getEthUsd = async (log: Log) =>
    getMedianPrice(
      observations.filter(({ blockNumber }) => blockNumber < log.blockNumber),
      await readBlockTime(context, log.blockNumber),
    );
  const start = logs.find(({ topics }) => topics[0] === initializeTopic);
  const swaps = logs.filter(({ topics }) => topics[0] === swapTopic);
  const trades = await Promise.all(
    swaps.map(async (log) => await readTrade(context, log, tokenIsToken0, await getEthUsd(log))),
  );
  return {
    trades: trades.filter((trade) => trade.tokenAmount > 0n && trade.quoteAmount > 0n),
    startPriceEth: start === undefined ? Number.NaN : getPrice(start, tokenIsToken0, 0),
    startEthUsd: start === undefined ? null : await getEthUsd(start),
  };
}

async function readPoolLogs({ provider }: DemoContext, address: string, fromBlock: number): Promise<Log[]> {
  return provider.getLogs({ address, fromBlock, toBlock: "latest", topics: [[initializeTopic, swapTopic]] });
}

async function readTrade(
  { provider }: DemoContext,
  log: Log,
  tokenIsToken0: boolean,
  ethUsd: number | null,
): Promise<ChainTrade> {
  const [block, transaction] = await Promise.all([
    provider.getBlock(log.blockNumber),
    provider.getTransaction(log.transactionHash),
  ]);
  const { recipient, amount0, amount1 } = parseEvent<{ recipient: string; amount0: bigint; amount1: bigint }>(log);
  const [token, quote] = tokenIsToken0 ? [amount0, amount1] : [amount1, amount0];
  const abs = (value: bigint) => (value < 0n ? -value : value);
  return {
    id: `${log.transactionHash}:${log.index}`,
    txHash: log.transactionHash,
    logIndex: log.index,
    blockNumber: log.blockNumber,
    time: block?.timestamp ?? 0,
    // Amounts are from the pool's view: a positive amount is paid to the pool.
    side: quote > 0n ? "buy" : "sell",
    maker: transaction?.from ?? "",
    recipient,
    tokenAmount: abs(token),
    quoteAmount: abs(quote),
    ethUsd,
    poolPriceEth: getPrice(log, tokenIsToken0, 0),
  };
}

/** Reads every price of the ETH/USD pool, oldest first. */
async function readEthUsdObservations(context: DemoContext): Promise<Observation[]> {
  const source = context.manifest.eth_usd;
  if (source === null) return [];
  const ethIsToken0 = BigInt(context.weth) < BigInt(source.stablecoin.address);
  const logs = await readPoolLogs(context, source.pool, 0);
  return await Promise.all(
    logs.map(async (log) => ({
      blockNumber: log.blockNumber,
      time: await readBlockTime(context, log.blockNumber),
      price: getPrice(log, ethIsToken0, 18 - source.stablecoin_decimals),
    })),
  );
}

async function readBlockTime({ provider }: DemoContext, blockNumber: number): Promise<number> {
  const block = await provider.getBlock(blockNumber);
  if (block === null) throw new DemoFailure(`block ${blockNumber} is missing`);
  return block.timestamp;
}

/** Sorts the prices of each of the 600 seconds before `end`, and returns the 300th; null without an observation. */
function getMedianPrice(observations: readonly Observation[], end: number): number | null {
  const prices: number[] = [];
  for (let second = end - 600; second < end; second++) {
    const last = observations.findLast(({ time }) => time <= second) ?? observations[0];
    if (last === undefined) return null;
    prices.push(last.price);
  }
  return prices.sort((a, b) => a - b)[299]!;
}

function parseEvent<T>(log: Log): T {
  const parsed = poolAbi.parseLog(log);
  if (parsed === null) throw new DemoFailure(`the pool's log ${log.transactionHash}:${log.index} cannot be read`);
  return parsed.args as unknown as T;
}

/** Returns the price of one whole base asset after an event, from its square root times 2^96. */
function getPrice(log: Log, baseIsToken0: boolean, decimalsDifference: number): number {
  const { sqrtPriceX96 } = parseEvent<{ sqrtPriceX96: bigint }>(log);
  const ratio = (Number(sqrtPriceX96) / q96) ** 2;
  return baseIsToken0 ? ratio * 10 ** decimalsDifference : 10 ** decimalsDifference / ratio;
}

/** One bucket; prices in the currency of the series. */
export type ChainCandle = { t: number; o: number; h: number; l: number; c: number; vq: number; n: number; usd: number };

/** Computes the buckets of `seconds`; each opens at the previous close, the first at the start price. */
export function computeCandles(record: ChainRecord, seconds: number, quote: "usd" | "eth"): ChainCandle[] {
  const convert = (priceEth: number, ethUsd: number | null) =>
    quote === "eth" ? priceEth : priceEth * (ethUsd ?? Number.NaN);
  const candles: ChainCandle[] = [];
  let close = convert(record.startPriceEth, record.startEthUsd);
  for (const trade of record.trades) {
    const t = trade.time - (trade.time % seconds);
    const price = convert(trade.poolPriceEth, trade.ethUsd);
    let candle = candles.at(-1);
    if (candle?.t !== t) {
      candle = { t, o: close, h: close, l: close, c: close, vq: 0, n: 0, usd: 0 };
      candles.push(candle);
    }
    const volume = Number(trade.quoteAmount) / 1e18;
    candle.h = Math.max(candle.h, price);
    candle.l = Math.min(candle.l, price);
    candle.c = price;
    candle.vq += volume;
    candle.usd += volume * (trade.ethUsd ?? Number.NaN);
    candle.n += 1;
    close = price;
  }
  return candles;
}
