/** Length of each candle interval in seconds. */
export const intervalSeconds = { "1m": 60, "5m": 300, "1h": 3600, "1d": 86400 } as const;

/** All candle lengths in seconds, shortest first. */
export const candleLengths: readonly number[] = Object.values(intervalSeconds);

/** Returns the start of the bucket of `seconds` length that contains `time`; both in Unix seconds. */
export function bucketStart(time: number, seconds: number): number {
  return time - (time % seconds);
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
