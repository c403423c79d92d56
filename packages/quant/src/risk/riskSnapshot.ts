import { ewmaVariance } from "../volatility/ewma.ts";
import { dayReturn, type HourGrid, meanLogRange, type RiskBars, toHourGrid } from "../volatility/hourGrid.ts";
import { computeHourlyVolatility, type HourlyVolatility } from "../volatility/hourlyVolatility.ts";
import { fitLogRanges, forecastLogRanges, logRangeHours } from "../volatility/logRangeHar.ts";
import { type Bar, garmanKlass, parkinson, yangZhang } from "../volatility/rangeEstimators.ts";
import { firstFit } from "../volatility/volatilityPath.ts";
import { forecastRisk, type RiskForecast, startTails, type Tails } from "./adaptiveTails.ts";
import { type Calibration, calibrate } from "./calibration.ts";
import { computeDailyRisk, type DailyRisk, type DayForecast } from "./dayForecasts.ts";
import type { SortedResiduals } from "./filteredHistoricalSimulation.ts";
import {
  type HourRegime,
  persistence,
  rankBreaches,
  rankVolatility,
  scoreHours,
  slidingDrawdowns,
} from "./hourlyRegimes.ts";
import { amihud, corwinSchultzSpread } from "./liquidity.ts";
import type { Regime } from "./regime.ts";
import { sortKnownResiduals, toResiduals } from "./valueAtRiskPath.ts";

/** Changes whenever the same bars could give other numbers. */
export const riskModelVersion = "2";

/** Values of the two levels. */
export type ByLevel = { "95": number | null; "99": number | null };

/** The risk of a pair at the close of its last bar. Fractions; null when unknown. */
export type RiskSnapshot = {
  /** The close of the last bar, Unix seconds. */
  dataThrough: number;
  price: number;
  volatility: Record<
    "ewmaDaily" | "harDaily" | "garchDaily" | "parkinson" | "garmanKlass" | "yangZhang" | "annualized" | "percentile1y",
    number | null
  >;
  var: ByLevel;
  es: ByLevel;
  upside: ByLevel;
  /** Prices. */
  band24h: { "80": [number, number] | null; "95": [number, number] | null };
  drawdown: { current: number; max90d: number };
  regime: { label: Regime | null; since: number | null; probability: number | null };
  riskScore: number | null;
  liquidity: { amihud: number | null; spreadEstBps: number | null; volume24hQuote: number | null };
  calibration: Calibration;
  /** Why value at risk is null; null when value at risk is known. */
  reason: "too_short" | null;
};

/** One hour: the forecast at its close for the next 24 hours, and the return of its last 24 hours. */
export type RiskHour = {
  /** The open, Unix seconds. */
  time: number;
  price: number;
  return: number | null;
  volatility: number | null;
  var95: number | null;
  var99: number | null;
  es95: number | null;
  /** Whether the return exceeded the value at risk forecast 24 hours before. */
  breach95: boolean | null;
  breach99: boolean | null;
  regime: Regime | null;
  riskScore: number | null;
};

export type PairRisk = {
  snapshot: RiskSnapshot;
  /** The hours with a bar among the last 168 hours. */
  history: RiskHour[];
  change24h: number | null;
  volatilityDaily: number | null;
  /** The closes of the last 24 hours; null for a missing hour. */
  sparkline: (number | null)[];
  /** Daily forecasts that were not stored yet. */
  made: DayForecast[];
};

const hour = 3_600;
const dayHours = 24;
const historyHours = 168;
const monthHours = 30 * dayHours;
const drawdownHours = 90 * dayHours;
/** Hours of volatility before the history: a year of volatility, and one more of regimes. */
const warmUpHours = 2 * 365 * dayHours;

/** 9 significant digits, because engines differ in the last bit of exponentials. */
const toNumber = (value: number): number | null => (Number.isFinite(value) ? Number(value.toPrecision(9)) : null);

type Hours = {
  grid: HourGrid;
  daily: DailyRisk;
  volatility: HourlyVolatility;
  percentile: Float64Array;
  regimes: HourRegime[];
  drawdowns: Float64Array;
  scores: Float64Array;
  /** The forecast at the close of an hour; null before 300 days. */
  forecastAt(i: number): RiskForecast | null;
};

function createForecastAt(daily: DailyRisk, volatility: HourlyVolatility): Hours["forecastAt"] {
  const residuals = toResiduals(daily.days.returns, daily.path.combined);
  const tailsOf = new Map<number, Tails>(daily.riskDays.map(({ day, tails }) => [day, tails]));
  const first = daily.riskDays[0]?.day ?? Infinity;
  const sorted = new Map<number, SortedResiduals | null>();
  return (i) => {
    const day = volatility.day[i]!;
    const variance = volatility.combined[i]!;
    if (day < first || Number.isNaN(variance)) return null;
    if (!sorted.has(day)) sorted.set(day, sortKnownResiduals(residuals, day));
    const known = sorted.get(day)!;
    return known && forecastRisk(known, Math.sqrt(variance), tailsOf.get(day) ?? startTails());
  };
}

function computeHours(bars: RiskBars, stored: readonly DayForecast[]): Hours {
  const grid = toHourGrid(bars);
  const daily = computeDailyRisk(bars, stored);
  const count = grid.close.length;
  const from = Math.max(0, count - historyHours - warmUpHours);
  const volatility = computeHourlyVolatility(grid, daily.days, daily.path, from);
  const { percentile, regimes } = rankVolatility(volatility.combined);
  const drawdowns = slidingDrawdowns(grid.close);
  const breachRank = rankBreaches(daily.riskDays, daily.days.end.length + 1);
  const scores = scoreHours({ percentile, drawdown: drawdowns, breachRank, day: volatility.day }, count - historyHours);
  const forecastAt = createForecastAt(daily, volatility);
  return { grid, daily, volatility, percentile, regimes, drawdowns, scores, forecastAt };
}

const toLoss = (logReturn: number) => toNumber(1 - Math.exp(-logReturn));

function toHistory({ grid, volatility, regimes, scores, forecastAt }: Hours): RiskHour[] {
  const count = grid.close.length;
  const history: RiskHour[] = [];
  for (let i = Math.max(0, count - historyHours); i < count; i++) {
    const price = grid.close[i]!;
    if (Number.isNaN(price)) continue;
    const now = forecastAt(i);
    const before = i >= dayHours ? forecastAt(i - dayHours) : null;
    const moved = dayReturn(grid, i);
    const isBreach = (k: number) =>
      before === null || Number.isNaN(moved) ? null : moved < -before.downside[k]!.valueAtRisk;
    history.push({
      time: grid.start + i * hour,
      price,
      return: toNumber(Math.exp(moved) - 1),
      volatility: toNumber(Math.sqrt(volatility.combined[i]!)),
      var95: now && toLoss(now.downside[0]!.valueAtRisk),
      var99: now && toLoss(now.downside[1]!.valueAtRisk),
      es95: now && toLoss(now.downside[0]!.expectedShortfall),
      breach95: isBreach(0),
      breach99: isBreach(1),
      regime: regimes[i]?.label ?? null,
      riskScore: toNumber(scores[i]!),
    });
  }
  return history;
}

/** The latest bars without gaps; earlier bars before a gap are omitted. */
function takeLastBars({ open, high, low, close }: HourGrid, hours: number): Bar[] {
  const bars: Bar[] = [];
  for (let i = Math.max(0, close.length - hours); i < close.length; i++) {
    if (Number.isNaN(close[i]!)) bars.length = 0;
    else bars.push({ open: open[i]!, high: high[i]!, low: low[i]!, close: close[i]! });
  }
  return bars;
}

function measureLiquidity(grid: HourGrid): RiskSnapshot["liquidity"] {
  const { close, quoteVolume } = grid;
  const last = close.length - 1;
  const [returns, values]: [number[], number[]] = [[], []];
  for (let i = Math.max(1, last + 1 - monthHours); i <= last; i++) {
    const move = Math.log(close[i]! / close[i - 1]!);
    if (Number.isNaN(move)) continue;
    returns.push(move);
    values.push(quoteVolume[i]!);
  }
  const ofDay = quoteVolume.slice(-dayHours);
  return {
    amihud: toNumber(amihud(returns, values)),
    spreadEstBps: toNumber(corwinSchultzSpread(takeLastBars(grid, historyHours)) * 1e4),
    volume24hQuote: ofDay.length < dayHours ? null : toNumber(ofDay.reduce((sum, value) => sum + value, 0)),
  };
}

/** RiskMetrics on days that end at the last hour. */
function forecastEwma(grid: HourGrid): number {
  const returns: number[] = [];
  for (let i = grid.close.length - 1; i >= dayHours; i -= dayHours) {
    const move = dayReturn(grid, i);
    if (!Number.isNaN(move)) returns.push(move);
  }
  return returns.length < 30 ? Number.NaN : Math.sqrt(ewmaVariance(returns.reverse()).at(-1)!);
}

/** HAR on logs of ranges, fitted to all days up to now. */
function forecastHar(grid: HourGrid, { days }: DailyRisk): number {
  const count = days.end.length;
  const fit = count < firstFit ? null : fitLogRanges(days, count);
  if (fit === null) return Number.NaN;
  const last = grid.close.length - 1;
  const means = logRangeHours.map((hours) => meanLogRange(grid, last, hours));
  return Math.sqrt(forecastLogRanges(fit, means, grid.start + (last + 1) * hour));
}

function measureVolatility({ grid, daily, volatility, percentile }: Hours): RiskSnapshot["volatility"] {
  const last = grid.close.length - 1;
  const bars = takeLastBars(grid, historyHours);
  const ofDay = (hourly: number) => (bars.length < dayHours ? null : toNumber(hourly * Math.sqrt(dayHours)));
  return {
    ewmaDaily: toNumber(forecastEwma(grid)),
    harDaily: toNumber(forecastHar(grid, daily)),
    garchDaily: toNumber(Math.sqrt(volatility.garch[last]!)),
    parkinson: ofDay(parkinson(bars)),
    garmanKlass: ofDay(garmanKlass(bars)),
    yangZhang: ofDay(yangZhang(bars)),
    annualized: toNumber(Math.sqrt(365 * volatility.combined[last]!)),
    percentile1y: toNumber(percentile[last]!),
  };
}

/**
 * Computes all published risk values of a pair at the close of its last bar, and of its last 168 hours. Each value of
 * an hour depends on the bars up to that hour only.
 *
 * @param bars hourly, closed, at least one; two years and 100 days suffice
 * @param stored earlier forecasts of days, which are used unchanged
 * @throws RangeError for bars that are not in order, or prices that are not positive
 */
export function riskSnapshot(bars: RiskBars, stored: readonly DayForecast[] = []): PairRisk {
  if (bars.time.length === 0) throw new RangeError("a snapshot needs a bar");
  const hours = computeHours(bars, stored);
  const { grid, daily, volatility, regimes, drawdowns, scores } = hours;
  const last = grid.close.length - 1;
  const price = grid.close[last]!;
  const now = hours.forecastAt(last);
  const byLevel = (pick: (k: number) => number | null): ByLevel => ({ "95": now && pick(0), "99": now && pick(1) });
  const toBand = (k: number): [number, number] | null => {
    if (now === null) return null;
    const { lower, upper } = now.bands[k]!;
    return [toNumber(price * Math.exp(lower))!, toNumber(price * Math.exp(upper))!];
  };
  const lastDrawdowns = drawdowns.slice(-drawdownHours).filter((value) => !Number.isNaN(value));
  const regime = regimes[last] ?? null;
  return {
    snapshot: {
      dataThrough: grid.start + (last + 1) * hour,
      price,
      volatility: measureVolatility(hours),
      var: byLevel((k) => toLoss(now!.downside[k]!.valueAtRisk)),
      es: byLevel((k) => toLoss(now!.downside[k]!.expectedShortfall)),
      upside: byLevel((k) => toNumber(Math.exp(now!.upside[k]!.valueAtRisk) - 1)),
      band24h: { "80": toBand(0), "95": toBand(1) },
      drawdown: {
        current: toNumber(drawdowns[last]!)!,
        max90d: toNumber(lastDrawdowns.reduce((low, value) => Math.min(low, value), 0))!,
      },
      regime: {
        label: regime?.label ?? null,
        since: regime && grid.start + (regime.since + 1) * hour,
        probability: regime && toNumber(persistence(regimes, last) ?? Number.NaN),
      },
      riskScore: toNumber(scores[last]!),
      liquidity: measureLiquidity(grid),
      calibration: calibrate(daily.riskDays),
      reason: now === null ? "too_short" : null,
    },
    history: toHistory(hours),
    change24h: toNumber(Math.exp(dayReturn(grid, last)) - 1),
    volatilityDaily: toNumber(Math.sqrt(volatility.combined[last]!)),
    sparkline: Array.from({ length: dayHours }, (_, k) => toNumber(grid.close[last + 1 - dayHours + k] ?? Number.NaN)),
    made: daily.made,
  };
}
