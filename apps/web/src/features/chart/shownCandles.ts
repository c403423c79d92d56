import type { IndexedCandle } from "@slipway/protocol/indexed";
import type { ChartLine, ChartPoint } from "../../ui/chartOverlays.ts";
import type { ChartIndicator } from "./chartSettings.ts";

/**
 * Converts candles in USD to candles in ETH, each with the ETH/USD price of its own trades: its volume in USD divided by
 * its volume in ETH. A candle without trades gets the price of the candle before it.
 */
export function toEthCandles(candles: readonly IndexedCandle[]): IndexedCandle[] {
  let rate: number | null = null;
  return candles.flatMap((candle) => {
    const { o, h, l, c, v, vq } = candle;
    if (v !== null && v > 0 && vq > 0) rate = v / vq;
    if (rate === null) return [];
    return [{ ...candle, o: o / rate, h: h / rate, l: l / rate, c: c / rate }];
  });
}

/** Multiplies the prices of candles, e.g. by the supply for the market cap. */
export const scaleCandles = (candles: readonly IndexedCandle[], factor: number): IndexedCandle[] =>
  candles.map((candle) => ({
    ...candle,
    o: candle.o * factor,
    h: candle.h * factor,
    l: candle.l * factor,
    c: candle.c * factor,
  }));

/** Returns the simple moving average of the closes over `length` candles; no point for the candles before. */
export function computeAverage(candles: readonly IndexedCandle[], length: number): ChartPoint[] {
  let sum = 0;
  return candles.flatMap(({ t, c }, index) => {
    sum += c - (candles[index - length]?.c ?? 0);
    return index < length - 1 ? [] : [{ t, value: sum / length }];
  });
}

/** Returns the volume-weighted average price since the first candle, from each candle's typical price (H + L + C) / 3. */
export function computeVwap(candles: readonly IndexedCandle[]): ChartPoint[] {
  let [value, volume] = [0, 0];
  return candles.flatMap(({ t, h, l, c, vq }) => {
    value += ((h + l + c) / 3) * vq;
    volume += vq;
    return volume === 0 ? [] : [{ t, value: value / volume }];
  });
}

const colors = { sma20: "accent", sma50: "second", vwap: "third" } as const;

/** Returns the lines of the chosen indicators. */
export function toLines(candles: readonly IndexedCandle[], chosen: readonly string[]): ChartLine[] {
  const points: Readonly<Record<ChartIndicator, () => ChartPoint[]>> = {
    sma20: () => computeAverage(candles, 20),
    sma50: () => computeAverage(candles, 50),
    vwap: () => computeVwap(candles),
  };
  return (Object.keys(points) as ChartIndicator[])
    .filter((key) => chosen.includes(key))
    .map((key) => ({ key, color: colors[key], points: points[key]() }));
}

/** Returns the index of the candle that contains a time; -1 before the first candle. */
export function findCandle(candles: readonly Pick<IndexedCandle, "t">[], seconds: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (candles[middle]!.t <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
