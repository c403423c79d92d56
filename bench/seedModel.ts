import { addPrice, candleLengths, openCandle } from "@slipway/protocol/candle";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { priceFromSqrtX96, usdMicros } from "@slipway/protocol/price";

export type SeedOptions = {
  tokens: number;
  trades: number;
  /** Unix seconds of the head; the trades are in the `days` before it. */
  headTime: number;
  days?: number;
  seed?: number;
  /** Receives the number of written trades from time to time. */
  progress?: (trades: number) => void;
};

export type Candle = {
  t: number;
  o: number;
  h: number;
  l: number;
  c: number;
  /** The same in USD. */
  usd: { o: number; h: number; l: number; c: number };
  n: number;
  buys: number;
  vq: bigint;
  v: bigint;
};
/** The state of a synthetic token; amounts in whole units. */
export type Token = {
  price: number;
  priceUsd: number;
  candles: (Candle | undefined)[];
  traders: Map<number, number>;
  trades: number;
  buys: number;
  volume: number;
  volumeUsd: number;
  lastTime: number;
  lastBlock: number;
  day: { trades: number; buys: number; volume: number; volumeUsd: number; oldest: number | null; priceBefore: number };
};

/** The sums of a minute, or of all time. */
export type Sum = { trades: number; vq: number; v: number; firstBlock: number };

export const tickLower = -203200;
export const startPrice = priceFromSqrtX96(sqrtPriceX96AtTick(tickLower), true);
export const startEthUsd = 3_000;
export const supply = 10n ** 27n;
export const secondsPerEthUsd = 60;

export const hex = (n: number, bytes: number) => n.toString(16).padStart(bytes * 2, "0");
export const seededAddress = (token: number) => `0x70${hex(token, 19)}`;
export const seededWallet = (account: number) => `0x80${hex(account, 19)}`;
export const wei = (amount: number) => BigInt(Math.round(amount * 1e9)) * 10n ** 9n;
export const micros = (usd: number) => Math.round(usd * 1e6);

export function* ids<T>(count: number, row: (id: number) => T): Generator<T> {
  for (let id = 1; id <= count; id++) yield row(id);
}

export function newToken(): Token {
  const day = { trades: 0, buys: 0, volume: 0, volumeUsd: 0, oldest: null, priceBefore: startPrice };
  const sums = { trades: 0, buys: 0, volume: 0, volumeUsd: 0, lastTime: 0, lastBlock: 0 };
  const priceUsd = startPrice * startEthUsd;
  return { price: startPrice, priceUsd, candles: [], traders: new Map(), day, ...sums };
}

export type Seen = {
  time: number;
  block: number;
  /** The start of the 24 h window. */
  window: number;
  isBuy: boolean;
  quote: number;
  usd: number;
  /** The pool's price before the trade, in native and in USD. */
  before: number;
  beforeUsd: number;
  wallet: number;
};

/** Adds a trade to its token and to its minute. */
export function noteTrade(token: Token, minutes: Map<number, Sum>, seen: Seen): void {
  token.trades++;
  if (seen.isBuy) token.buys++;
  token.volume += seen.quote;
  token.volumeUsd += seen.quote * seen.usd;
  token.lastTime = seen.time;
  token.lastBlock = seen.block;
  token.traders.set(seen.wallet, seen.time);
  const minute = seen.time - (seen.time % 60);
  if (minute > seen.window) {
    const { day } = token;
    if (day.oldest === null) Object.assign(day, { oldest: minute, priceBefore: seen.before });
    day.trades++;
    if (seen.isBuy) day.buys++;
    day.volume += seen.quote;
    day.volumeUsd += seen.quote * seen.usd;
  }
  const sum = minutes.get(minute) ?? { trades: 0, vq: 0, v: 0, firstBlock: seen.block };
  minutes.set(minute, {
    trades: sum.trades + 1,
    vq: sum.vq + seen.quote,
    v: sum.v + seen.quote * seen.usd,
    firstBlock: sum.firstBlock,
  });
}

/** Adds a trade to its four candles, as the indexer does. Returns the candles that it closed, with their length in seconds. */
export function noteCandles(token: Token, seen: Seen): { seconds: number; candle: Candle }[] {
  const closed: { seconds: number; candle: Candle }[] = [];
  const quote = wei(seen.quote);
  const volumeUsd = usdMicros(quote, seen.usd)!;
  for (const [i, seconds] of candleLengths.entries()) {
    const t = seen.time - (seen.time % seconds);
    let candle = token.candles[i];
    if (candle === undefined || candle.t !== t) {
      if (candle !== undefined) closed.push({ seconds, candle });
      const prices = openCandle(seen.before, seen.before);
      candle = { t, ...prices, usd: openCandle(seen.beforeUsd, seen.beforeUsd), n: 0, buys: 0, vq: 0n, v: 0n };
      token.candles[i] = candle;
    }
    addPrice(candle, token.price);
    addPrice(candle.usd, token.priceUsd);
    candle.n++;
    if (seen.isBuy) candle.buys++;
    candle.vq += quote;
    candle.v += volumeUsd;
  }
  return closed;
}
