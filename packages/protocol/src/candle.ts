/** Length in seconds of each candle interval that is stored and streamed. */
export const intervalSeconds = { "1m": 60, "5m": 300, "1h": 3600, "1d": 86400 } as const;

/** Lengths of the intervals in lists, and of the stored candles that they are combined from; in seconds. */
export const candleSources = {
  "1m": { seconds: 60, stored: 60 },
  "5m": { seconds: 300, stored: 300 },
  "15m": { seconds: 900, stored: 300 },
  "30m": { seconds: 1_800, stored: 300 },
  "1h": { seconds: 3_600, stored: 3_600 },
  "4h": { seconds: 14_400, stored: 3_600 },
  "12h": { seconds: 43_200, stored: 3_600 },
  "1d": { seconds: 86_400, stored: 86_400 },
  "1w": { seconds: 604_800, stored: 86_400 },
} as const;

/** The time of the first Monday, 00:00 UTC: a week begins on Monday. */
const firstMonday = 4 * 86_400;

/** Returns the offset of the buckets of a length from multiples of the length; both in seconds. */
export function getBucketOffset(seconds: number): number {
  return seconds === candleSources["1w"].seconds ? firstMonday : 0;
}

/** All candle lengths in seconds, shortest first. */
export const candleLengths: readonly number[] = Object.values(intervalSeconds);

/** Returns the start of the bucket of `seconds` length that contains `time`; both in Unix seconds. */
export function bucketStart(time: number, seconds: number): number {
  return time - (time % seconds);
}

/** As `bucketStart`, also for weeks, which begin on Monday. */
export function listedBucketStart(time: number, seconds: number): number {
  const offset = getBucketOffset(seconds);
  return Math.floor((time - offset) / seconds) * seconds + offset;
}

/** Open, high, low and close price of a candle. */
export type Ohlc = { o: number; h: number; l: number; c: number };

/** Creates a candle that opens at the previous close, with one price. */
export function openCandle(previousClose: number, price: number): Ohlc {
  return { o: previousClose, h: Math.max(previousClose, price), l: Math.min(previousClose, price), c: price };
}

/** Adds a price to a candle. */
export function addPrice(candle: Ohlc, price: number): void {
  if (price > candle.h) candle.h = price;
  if (price < candle.l) candle.l = price;
  candle.c = price;
}

/**
 * Returns the minute before the 24 h window: the window's 1440 minute buckets begin after it and end with the head's.
 */
export function windowStart(headTime: number): number {
  return bucketStart(headTime, 60) - 86400;
}
