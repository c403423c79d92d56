import { jointLoss, pinball } from "@slipway/quant/accuracy/accuracy";
import { riskLevels } from "@slipway/quant/risk/adaptiveTails";
import { christoffersen, kupiec } from "@slipway/quant/risk/backtests";
import { trafficLight } from "@slipway/quant/risk/calibration";
import { riskSnapshot } from "@slipway/quant/risk/riskSnapshot";
import { computeValueAtRiskPath } from "@slipway/quant/risk/valueAtRiskPath";
import { type Days, toDays } from "@slipway/quant/volatility/dailyVariances";
import type { RiskBars } from "@slipway/quant/volatility/hourGrid";
import { fitLogRanges, forecastLogRanges, meansOfDay } from "@slipway/quant/volatility/logRangeHar";
import { computeVolatilityPath, firstFit, type VolatilityPath } from "@slipway/quant/volatility/volatilityPath";
import type { Goal } from "./goals.ts";
import type { Bars } from "./readData.ts";

const dayEnd = 23 * 3_600;
/** Quantiles of the normal distribution, with which RiskMetrics converts volatility to value at risk. */
const normalQuantiles = [1.6448536269514722, 2.3263478740408408];
/** The expected shortfalls of the normal distribution at 95 and 99%: density of the quantile / probability. */
const normalShortfalls = normalQuantiles.map(
  (quantile, k) => Math.exp(-(quantile ** 2) / 2) / Math.sqrt(2 * Math.PI) / (1 - riskLevels[k]!),
);
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

type PairResult = {
  pair: string;
  breaches: [boolean[], boolean[]];
  kupiecP: number[];
  independenceP: number[];
  zone: string;
  losses: { own: [number, number]; riskMetrics: [number, number] };
  jointLosses: { own: number[]; riskMetrics: number[] };
  riskMetricsKupiecP: number;
  shortfall: { realised: number[][]; forecast: number[][] };
  qlike: { har: number; riskMetrics: number };
};

function qlike(realised: Float64Array, forecast: Float64Array, from: number): number {
  const losses: number[] = [];
  for (let t = from; t < realised.length; t++) {
    const ratio = realised[t]! / forecast[t]!;
    losses.push(ratio - Math.log(ratio) - 1);
  }
  return average(losses);
}

/** HAR as published: the forecast of each day uses a fit to the days before it. */
const forecastHar = (days: Days): Float64Array =>
  days.returns.map((_, t) => {
    const fit = t < firstFit ? null : fitLogRanges(days, t);
    return fit === null ? Number.NaN : forecastLogRanges(fit, meansOfDay(days, t - 1), days.end[t - 1]!);
  });

function judgePair(pair: string, of: Days, path: VolatilityPath): PairResult {
  const { returns, realised } = of;
  const days = computeValueAtRiskPath(returns, path.combined).filter((each) => !Number.isNaN(each.return));
  const outcomes = days.map((each) => each.return);
  const breaches = riskLevels.map((_, k) => days.map((each) => each.return < -each.forecast.downside[k]!.valueAtRisk));
  const getLoss = (k: number, quantiles: number[]) => pinball(outcomes, quantiles, 1 - riskLevels[k]!);
  const simple = (k: number) => days.map(({ day }) => -normalQuantiles[k]! * Math.sqrt(path.ewma[day]!));
  const own = (k: number) => days.map(({ forecast }) => -forecast.downside[k]!.valueAtRisk);
  const last250 = breaches[1]!.slice(-250).filter(Boolean).length;
  const simpleBreaches = outcomes.filter((value, i) => value < simple(1)[i]!).length;
  const hit = (k: number) => days.filter((_, i) => breaches[k]![i]);
  return {
    pair,
    breaches: [breaches[0]!, breaches[1]!],
    kupiecP: riskLevels.map((level, k) => kupiec(breaches[k]!.filter(Boolean).length, days.length, 1 - level).pValue),
    independenceP: riskLevels.map((level, k) => christoffersen(breaches[k]!, 1 - level).independence.pValue),
    zone: trafficLight(last250).zone,
    losses: {
      own: [getLoss(0, own(0)), getLoss(1, own(1))],
      riskMetrics: [getLoss(0, simple(0)), getLoss(1, simple(1))],
    },
    jointLosses: {
      own: riskLevels.map((level, k) =>
        jointLoss(
          outcomes.map((value) => -value),
          days.map(({ forecast }) => forecast.downside[k]!.valueAtRisk),
          days.map(({ forecast }) => forecast.downside[k]!.expectedShortfall),
          1 - level,
        ),
      ),
      riskMetrics: riskLevels.map((level, k) =>
        jointLoss(
          outcomes.map((value) => -value),
          simple(k).map((value) => -value),
          days.map(({ day }) => normalShortfalls[k]! * Math.sqrt(path.ewma[day]!)),
          1 - level,
        ),
      ),
    },
    riskMetricsKupiecP: kupiec(simpleBreaches, days.length, 0.01).pValue,
    shortfall: {
      realised: riskLevels.map((_, k) => hit(k).map((each) => -each.return)),
      forecast: riskLevels.map((_, k) => hit(k).map((each) => each.forecast.downside[k]!.expectedShortfall)),
    },
    qlike: { har: qlike(realised, forecastHar(of), firstFit), riskMetrics: qlike(realised, path.ewma, firstFit) },
  };
}

/**
 * Measures the CPU time of `riskSnapshot` without stored forecasts for all pairs, and the median for one more bar with
 * them.
 */
function measureSnapshots(all: readonly Bars[]): { cold: number; bar: number } {
  const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;
  const columns = all.map((bars) => {
    const { time, open, high, low, close, quoteVolume } = bars;
    return [time, open, high, low, close, quoteVolume].map((values) => Float64Array.from(values));
  });
  const cut = (index: number, left: number): RiskBars => {
    const [time, open, high, low, close, quoteVolume] = columns[index]!.map((values) =>
      values.subarray(0, values.length - left),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    return { time, open, high, low, close, quoteVolume };
  };
  const startedAt = process.threadCpuUsage();
  const stored = all.map((_, index) => riskSnapshot(cut(index, 48)).made);
  const cold = toMs(process.threadCpuUsage(startedAt));
  const times: number[] = [];
  for (let left = 47; left >= 0; left--) {
    all.forEach((_, index) => {
      const barAt = process.threadCpuUsage();
      stored[index]!.push(...riskSnapshot(cut(index, left), stored[index]).made);
      times.push(toMs(process.threadCpuUsage(barAt)));
    });
  }
  return { cold, bar: times.sort((a, b) => a - b)[Math.floor(times.length / 2)]! };
}

/** Backtests volatility and value at risk over pairs, and measures the time of a cold computation. */
export function scoreRisk(all: readonly Bars[]): Goal[] {
  const snapshots = measureSnapshots(all);
  const computed = all.map((bars) => {
    const days = toDays(bars, dayEnd);
    return { pair: bars.pair, days, path: computeVolatilityPath(days) };
  });
  const results = computed.map(({ pair, days, path }) => judgePair(pair, days, path));
  for (const { pair, breaches, kupiecP, independenceP, zone, riskMetricsKupiecP } of results) {
    const share = (k: 0 | 1) => ((100 * breaches[k].filter(Boolean).length) / breaches[k].length).toFixed(2);
    const text = (values: number[]) => values.map((value) => value.toFixed(3)).join(" / ");
    process.stdout.write(
      `${pair}: ${breaches[0].length} days, breaches ${share(0)}% / ${share(1)}%, Kupiec p ${text(kupiecP)}, ` +
        `independence p ${text(independenceP)}, ${zone}; RiskMetrics Kupiec p at 99% ${riskMetricsKupiecP.toFixed(4)}\n`,
    );
  }
  const pooled = (k: 0 | 1) => average(results.flatMap(({ breaches }) => breaches[k].map(Number)));
  const sums = (k: 0 | 1, which: "own" | "riskMetrics") => average(results.map(({ losses }) => losses[which][k]));
  const shortfall = (k: number) =>
    average(results.flatMap((each) => each.shortfall.realised[k]!)) /
    average(results.flatMap((each) => each.shortfall.forecast[k]!));
  const atLeast = (select: (result: PairResult) => number[]) => Math.min(...results.flatMap(select));
  return [
    { name: "pairs", value: results.length },
    { name: "VaR 95: pooled breaches", value: pooled(0), low: 0.045, high: 0.055 },
    { name: "VaR 99: pooled breaches", value: pooled(1), low: 0.008, high: 0.012 },
    { name: "smallest p of Kupiec, all pairs", value: atLeast(({ kupiecP }) => kupiecP), low: 0.05 },
    { name: "smallest p of independence, all pairs", value: atLeast((each) => each.independenceP), low: 0.05 },
    { name: "pairs that are green", value: results.filter(({ zone }) => zone === "green").length, low: results.length },
    {
      name: "pairs where RiskMetrics fails Kupiec at 99%",
      value: results.filter((each) => each.riskMetricsKupiecP < 0.05).length,
      anchors: "most",
    },
    { name: "ES 95: realised / forecast", value: shortfall(0), low: 0.93, high: 1.07 },
    { name: "ES 99: realised / forecast", value: shortfall(1), low: 0.93, high: 1.07 },
    {
      name: "quantile loss 99 / RiskMetrics",
      value: sums(1, "own") / sums(1, "riskMetrics"),
      high: 0.95,
      anchors: "FHS-EWMA 0.97, GARCH-t 0.91",
    },
    {
      name: "quantile loss 95 / RiskMetrics",
      value: sums(0, "own") / sums(0, "riskMetrics"),
      high: 1,
      anchors: "FHS-EWMA 1.01, GARCH-t 0.98",
    },
    ...riskLevels.map((level, k): Goal => {
      const mean = (which: "own" | "riskMetrics") => average(results.map((each) => each.jointLosses[which][k]!));
      return {
        name: `joint loss of VaR and ES at ${Math.round(100 * level)}% - RiskMetrics`,
        value: mean("own") - mean("riskMetrics"),
        high: 0,
        anchors: "FZ0, lower is better",
      };
    }),
    {
      name: "QLIKE of log-HAR / RiskMetrics",
      value: average(results.map((each) => each.qlike.har)) / average(results.map((each) => each.qlike.riskMetrics)),
      high: 0.78,
      anchors: "0.422 / 0.564",
    },
    { name: "cold computation of all pairs, CPU ms", value: snapshots.cold, high: 500 },
    { name: "one more bar of a pair, CPU ms", value: snapshots.bar, high: 20 },
  ];
}
