import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RiskBars } from "../volatility/hourGrid.ts";
import type { DayForecast } from "./dayForecasts.ts";
import { percentileRank } from "./regime.ts";
import { riskSnapshot } from "./riskSnapshot.ts";
import { slidingRanks } from "./slidingRanks.ts";

const hour = 3_600;
const begin = Date.UTC(2024, 0, 1) / 1000;

type Columns = { [name in keyof RiskBars]: Float64Array };

/** Hourly bars of a price whose volatility changes slowly; equal for equal seeds. */
function createBars(days: number, seed = 1): Columns {
  let state = seed;
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const count = days * 24;
  const empty = () => new Float64Array(count);
  const bars = { time: empty(), open: empty(), high: empty(), low: empty(), close: empty(), quoteVolume: empty() };
  let price = 100;
  for (let t = 0; t < count; t++) {
    const scale = 0.006 * Math.exp(0.5 * Math.sin(t / 900) + 0.4 * Math.sin(t / 130));
    const move = scale * (uniform() + uniform() + uniform() + uniform() - 2) * (uniform() < 0.01 ? 4 : 1);
    const close = price * Math.exp(move);
    bars.time[t] = begin + t * hour;
    bars.open[t] = price;
    bars.high[t] = Math.max(price, close) * (1 + scale * uniform());
    bars.low[t] = Math.min(price, close) * (1 - scale * uniform() * 0.9);
    bars.close[t] = close;
    bars.quoteVolume[t] = 1_000 * (1 + uniform());
    price = close;
  }
  return bars;
}

/** The bars whose index passes the filter. */
function select(bars: Columns, keep: (t: number) => boolean): Columns {
  const pick = (values: Float64Array) => values.filter((_, t) => keep(t));
  const { time, open, high, low, close, quoteVolume } = bars;
  return {
    time: pick(time),
    open: pick(open),
    high: pick(high),
    low: pick(low),
    close: pick(close),
    quoteVolume: pick(quoteVolume),
  };
}

const bars = createBars(430);
const whole = riskSnapshot(bars);
/** The forecasts after a round trip through JSON. */
const reload = (made: readonly DayForecast[]) => JSON.parse(JSON.stringify(made)) as DayForecast[];

describe("the snapshot of a pair", () => {
  it("has every number for 430 days of bars, and 168 hours of history", () => {
    const { snapshot, history, sparkline } = whole;
    const numbers = JSON.stringify({ ...snapshot, reason: "", history, sparkline });
    expect(numbers.match(/"\w+":null/g)).toBeNull();
    expect([history.length, sparkline.length, snapshot.reason]).toEqual([168, 24, null]);
    expect(snapshot.dataThrough).toBe(bars.time.at(-1)! + hour);
    expect(history.at(-1)).toMatchObject({ time: bars.time.at(-1), price: snapshot.price, var95: snapshot.var["95"] });
    expect(snapshot.calibration.windowDays).toBeGreaterThan(100);
  });

  it("has the larger loss at the larger level, the mean beyond a bound beyond it, and the price within its bands", () => {
    for (const { var95, var99, es95 } of whole.history) {
      expect(var99).toBeGreaterThanOrEqual(var95!);
      expect(es95).toBeGreaterThanOrEqual(var95!);
    }
    const { var: atRisk, es, upside, band24h, price, drawdown, riskScore } = whole.snapshot;
    expect(es["99"]).toBeGreaterThanOrEqual(atRisk["99"]!);
    expect(upside["99"]).toBeGreaterThanOrEqual(upside["95"]!);
    const wide = band24h["95"]!;
    const narrow = band24h["80"]!;
    expect([...wide, ...narrow, price].sort((a, b) => a - b)).toEqual([wide[0], narrow[0], price, narrow[1], wide[1]]);
    expect([drawdown.current <= 0, drawdown.max90d <= drawdown.current]).toEqual([true, true]);
    expect(riskScore! >= 0 && riskScore! <= 100).toBe(true);
  });

  it("of an hour depends on the bars up to that hour only, and is the same without later bars", () => {
    const ends = fc.integer({ min: 1, max: 167 });
    fc.assert(
      fc.property(ends, (cut) => {
        const prefix = riskSnapshot(select(bars, (t) => t < bars.time.length - cut));
        const known = new Map(whole.history.map((each) => [each.time, each]));
        for (const each of prefix.history) {
          const later = known.get(each.time);
          if (later) expect(each).toEqual(later);
        }
        expect(prefix.made).toEqual(whole.made.slice(0, prefix.made.length));
      }),
      { seed: 3, numRuns: 8 },
    );
  });

  it("is the same with and without stored forecasts, hour by hour, and adds only the forecasts of new days", () => {
    const early = riskSnapshot(select(bars, (t) => t < bars.time.length - 50));
    const stored = reload(early.made);
    let added = 0;
    for (let left = 49; left >= 0; left -= 7) {
      const next = riskSnapshot(
        select(bars, (t) => t < bars.time.length - left),
        stored,
      );
      added += next.made.length;
      stored.push(...reload(next.made));
    }
    const { snapshot, history, made } = riskSnapshot(bars, stored);
    expect({ snapshot, history }).toEqual({ snapshot: whole.snapshot, history: whole.history });
    expect([added, made]).toEqual([whole.made.length - early.made.length, []]);
  });

  it("keeps the fractions, and scales prices, when the price is in another unit", () => {
    const factor = 1 / 1024;
    const scale = (values: Float64Array) => values.map((value) => value * factor);
    const { open, high, low, close } = bars;
    const scaled = riskSnapshot({
      ...bars,
      open: scale(open),
      high: scale(high),
      low: scale(low),
      close: scale(close),
    });
    const { price, band24h, volatility, var: atRisk, regime, riskScore } = scaled.snapshot;
    expect(price).toBe(whole.snapshot.price * factor);
    expect(band24h["95"]![0] / factor / whole.snapshot.band24h["95"]![0]).toBeCloseTo(1, 7);
    expect({ volatility, atRisk, regime, riskScore }).toEqual({
      volatility: whole.snapshot.volatility,
      atRisk: whole.snapshot.var,
      regime: whole.snapshot.regime,
      riskScore: whole.snapshot.riskScore,
    });
  });

  it("uses stored forecasts unchanged when an earlier bar is revised", () => {
    const revised = { ...bars, close: bars.close.map((close, t) => (t === 5_000 ? close * 1.001 : close)) };
    const { snapshot, made } = riskSnapshot(revised, reload(whole.made));
    expect(made).toEqual([]);
    expect(snapshot.volatility.garchDaily).toBe(whole.snapshot.volatility.garchDaily);
    expect(riskSnapshot(revised).made).not.toEqual(whole.made);
  });

  it("has no value at risk, with a reason, below 300 days, and no volatility of a model below 100 days", () => {
    const short = riskSnapshot(select(bars, (t) => t < 299 * 24)).snapshot;
    expect(short).toMatchObject({ reason: "too_short", var: { "95": null, "99": null }, band24h: { "80": null } });
    expect(short.riskScore).toBeNull();
    expect(short.volatility.harDaily).toBeGreaterThan(0);
    expect(short.calibration).toMatchObject({ windowDays: 0, breaches95: null, zone: null });
    const days = riskSnapshot(select(bars, (t) => t < 80 * 24)).snapshot;
    expect([days.volatility.harDaily, days.volatility.garchDaily, days.regime.label]).toEqual([null, null, null]);
    expect(days.volatility.ewmaDaily).toBeGreaterThan(0);
    const one = riskSnapshot(select(bars, (t) => t < 1)).snapshot;
    expect(one).toMatchObject({ price: bars.close[0], drawdown: { current: 0, max90d: 0 } });
    expect([one.volatility.parkinson, one.liquidity.volume24hQuote]).toEqual([null, null]);
  });

  it("omits returns across missing hours, for hours, days and the history", () => {
    const missing = (t: number) => t >= bars.time.length - 60 && t < bars.time.length - 55;
    const { history, sparkline } = riskSnapshot(select(bars, (t) => !missing(t)));
    expect(history).toHaveLength(163);
    const unknown = history.filter((each) => each.return === null).map((each) => each.time);
    expect(unknown).toEqual([...bars.time].filter((_, t) => missing(t - 24)));
    expect(history.filter((each) => each.breach95 === null).map((each) => each.time)).toEqual(unknown);
    expect(sparkline).not.toContain(null);
  });

  it("has no GARCH when no search converges, and keeps the other models", () => {
    const flat = { ...bars, open: bars.open.map(() => 5), high: bars.high.map(() => 5.01) };
    const constant = riskSnapshot({ ...flat, low: bars.low.map(() => 4.99), close: bars.close.map(() => 5) });
    expect(constant.snapshot.volatility.garchDaily).toBeNull();
    expect(constant.snapshot.volatility.harDaily).toBeGreaterThan(0);
    expect(constant.snapshot.volatility.parkinson).toBeGreaterThan(0);
    expect(constant.snapshot.var["99"]).toBeGreaterThanOrEqual(0);
  });

  it("refuses bars that are not hours in order, and prices that are not positive", () => {
    const few = select(bars, (t) => t < 30);
    expect(() => riskSnapshot({ ...few, time: few.time.map((time) => time % 7_200) })).toThrow(RangeError);
    expect(() => riskSnapshot({ ...few, low: few.low.map(() => 0) })).toThrow(RangeError);
    expect(() => riskSnapshot(select(bars, () => false))).toThrow(RangeError);
  });
});

it("ranks each value within its window as counting does", () => {
  const values = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Number.NaN)), { maxLength: 40 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 12 }), (list, window) => {
      const ranks = slidingRanks(Float64Array.from(list), window, 2);
      list.forEach((value, t) => {
        const known = list.slice(Math.max(0, t + 1 - window), t + 1).filter((each) => !Number.isNaN(each));
        expect(ranks[t]).toBe(Number.isNaN(value) || known.length < 2 ? Number.NaN : percentileRank(known, value));
      });
    }),
    { seed: 11 },
  );
});
