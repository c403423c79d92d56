import { forecastLine } from "@slipway/quant/forecast/forecastLine";
import { forecastWithCovariates } from "@slipway/quant/forecast/forecastWithCovariates";
import { seededUniform } from "@slipway/quant/signals/seededUniform";
import type { Goal } from "./goals.ts";

const horizon = 48;
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const sumErrors = (actual: readonly number[], forecast: readonly number[]) =>
  actual.reduce((sum, value, h) => sum + Math.abs(value - forecast[h]!), 0);

/**
 * The effect of covariates on the last 48 values of real series (of training parts): an event that adds a tenth of the
 * mean during random blocks of three hours, and a covariate of noise.
 */
export function scoreCovariates(series: readonly number[][]): Goal[] {
  const ratios = { event: [] as number[], noise: [] as number[] };
  let usedEvents = 0;
  let usedNoise = 0;
  for (const [k, values] of series.entries()) {
    const uniform = seededUniform(k + 1);
    const blocks = values.map(() => (uniform() < 0.03 ? 1 : 0));
    const events = values.map((_, t) => Math.max(blocks[t]!, blocks[t - 1] ?? 0, blocks[t - 2] ?? 0));
    const noise = values.map(() => uniform());
    const size = 0.1 * average(values);
    const withEvents = values.map((value, t) => value + size * events[t]!);
    const score = (whole: readonly number[], covariate: number[]) => {
      const known = whole.slice(0, -horizon);
      const actual = whole.slice(-horizon);
      const plain = sumErrors(actual, forecastLine(known, horizon, "HOUR_1").forecast);
      const found = forecastWithCovariates(known, horizon, "HOUR_1", [covariate]);
      return { ratio: plain > 0 ? sumErrors(actual, found.forecast) / plain : 1, used: found.covariates.used };
    };
    const event = score(withEvents, events);
    const other = score(values, noise);
    ratios.event.push(event.ratio);
    ratios.noise.push(other.ratio);
    usedEvents += event.used ? 1 : 0;
    usedNoise += other.used ? 1 : 0;
  }
  return [
    { name: "covariate of events: used", value: usedEvents / series.length },
    { name: "covariate of events: error / without it", value: average(ratios.event), high: 0.9 },
    { name: "covariate of noise: used", value: usedNoise / series.length },
    { name: "covariate of noise: error / without it", value: average(ratios.noise), high: 1.005 },
  ];
}
