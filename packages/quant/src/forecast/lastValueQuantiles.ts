import { lastValueHalfWidths, type MoveModel } from "./lastValue.ts";

/**
 * The quantiles of a forecast by the last value: symmetric in logarithms for a positive series, otherwise in values.
 */
export function forecastLastValue(series: readonly number[], horizon: number, model: MoveModel): Float64Array[] {
  const last = series.at(-1)!;
  const isLog = series.every((value) => value > 0);
  const widths = lastValueHalfWidths(series, horizon, model);
  const move = (size: number) => (isLog ? last * Math.exp(size) : last + size);
  const at = (level: number, sign: number) =>
    Float64Array.from(widths, (all) => (level < 0 ? last : move(sign * all[level]!)));
  return [at(2, -1), at(1, -1), at(0, -1), at(-1, 1), at(0, 1), at(1, 1), at(2, 1)];
}
