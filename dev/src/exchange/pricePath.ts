import { createHash } from "node:crypto";

/** A bar of the local exchange, prices in the quote asset. `time`: Unix seconds of its open. */
export type PathBar = {
  time: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  quoteVolume: number;
  trades: number;
};

/** The parameters of a pair's history: the price in 2023, the hourly volatility, and the hourly volume. */
export type PathSettings = { start: number; hourlyMove: number; volume: number };

const minutes = 60;
const hour = 3600;
/** The start of every history; it is fixed, so that a restart changes no bar. */
const firstTime = Date.UTC(2023, 0, 1) / 1000;

/**
 * Creates a generator of uniform random numbers in (0, 1), seeded by a name and a number: the same on every machine.
 */
function createDraws(name: string, index: number): () => number {
  // mulberry32 (Tommy Ettinger, public domain), seeded by a hash.
  let state = createHash("sha256").update(`${name} ${index}`).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}

/** Creates a generator of standard normal numbers (Box & Muller 1958). */
const createNormal = (draw: () => number) => () => Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw());

const significantDigits = 7;
const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * Rounds a positive value to seven significant digits, like `toPrecision`, with which a path takes half as much time
 * again. Powers of ten are exact up to 10^22, so the quotient is the number with these decimal digits.
 */
function round(value: number): number {
  const decimals = significantDigits - 1 - Math.floor(Math.log10(value));
  const power = powers[Math.abs(decimals)]!;
  return decimals < 0 ? Math.round(value / power) * power : Math.round(value * power) / power;
}

/**
 * Creates the synthetic history of a pair: hourly returns with clusters of volatility (GARCH(1,1), Bollerslev 1987) and
 * heavy tails, a daily season in the volume, and within each hour a path of minutes that ends at the hour's close. The
 * history is the same at every start.
 */
export function createPricePath(pair: string, settings: PathSettings) {
  /** The closes by hours since the first time; entry 0 is the start price. */
  const closes = [settings.start];
  const moves: number[] = [];
  let variance = settings.hourlyMove ** 2;
  const draws = createDraws(pair, -1);
  const normal = createNormal(draws);

  const extendTo = (index: number) => {
    while (moves.length <= index) {
      // A variance mixture of normals, which has heavier tails than the normal distribution, like Student's t.
      const shock = normal() * (draws() < 0.1 ? 1.9 : 0.84);
      const move = Math.max(-0.2, Math.min(0.2, Math.sqrt(variance) * shock));
      const target = settings.hourlyMove ** 2;
      variance = 0.03 * target + 0.07 * move ** 2 + 0.9 * variance;
      const last = closes.at(-1)!;
      // A weak pull to the start price keeps the price of many years within bounds.
      const pull = Math.log(settings.start / last) * 0.0002;
      moves.push(move);
      closes.push(round(last * Math.exp(move + pull)));
    }
  };

  const computeMinutes = (index: number): PathBar[] => {
    extendTo(index);
    const draw = createDraws(pair, index);
    const gaussian = createNormal(draw);
    const from = Math.log(closes[index]!);
    const to = Math.log(closes[index + 1]!);
    const spread = settings.hourlyMove / Math.sqrt(minutes);
    const steps = Array.from({ length: minutes }, () => gaussian() * spread);
    const total = steps.reduce((sum, step) => sum + step, 0);
    const time = firstTime + index * hour;
    const season = 1 + 0.6 * Math.sin(((index % 24) / 24) * 2 * Math.PI - 2);
    const activity = (settings.volume / minutes) * season * (1 + 20 * Math.abs(moves[index]!));
    const bars: PathBar[] = [];
    let [position, sum, open] = [from, 0, closes[index]!];
    for (let minute = 0; minute < minutes; minute++) {
      sum += steps[minute]!;
      const isLast = minute === minutes - 1;
      position = from + sum + ((to - from - total) * (minute + 1)) / minutes;
      const close = isLast ? closes[index + 1]! : round(Math.exp(position));
      const reach = 1 + Math.abs(gaussian()) * spread * 0.5;
      const volume = round(activity * (0.5 + draw()));
      const high = round(Math.max(open, close) * reach);
      const low = round(Math.min(open, close) / reach);
      bars.push({
        time: time + minute * 60,
        open,
        high,
        low,
        close,
        volume,
        quoteVolume: round((volume * (open + close)) / 2),
        trades: 1 + Math.floor(draw() * 200),
      });
      open = close;
    }
    return bars;
  };

  /** The hour that was read last: a client reads the minutes of an hour one after the other. */
  let lastHour: { index: number; bars: readonly PathBar[] } | null = null;
  const readMinutes = (index: number): readonly PathBar[] => {
    if (lastHour?.index !== index) lastHour = { index, bars: computeMinutes(index) };
    return lastHour.bars;
  };

  return {
    firstTime,
    /**
     * Returns the bar that opens at `time`, from data before `now`; null before the first bar and at or after `now`.
     */
    readBar(time: number, interval: 60 | 3600, now: number): PathBar | null {
      if (time < firstTime || time >= now) return null;
      const index = Math.floor((time - firstTime) / hour);
      if (interval === 60) return readMinutes(index)[Math.floor(((time - firstTime) % hour) / 60)]!;
      const begun = Math.min(minutes, Math.ceil((now - time) / 60));
      return joinBars(readMinutes(index).slice(0, begun));
    },
  };
}

function joinBars(bars: readonly PathBar[]): PathBar {
  const sum = (field: "volume" | "quoteVolume" | "trades") => bars.reduce((total, bar) => total + bar[field], 0);
  return {
    time: bars[0]!.time,
    open: bars[0]!.open,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
    close: bars.at(-1)!.close,
    volume: round(sum("volume")),
    quoteVolume: round(sum("quoteVolume")),
    trades: sum("trades"),
  };
}
