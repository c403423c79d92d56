import { mean, standardDeviation } from "../numeric/quantile.ts";

/** A series on the scale of a model, as standardised values or logarithms, with the inverse transformation. */
export type Transformed = {
  values: Float64Array;
  /** The permitted range of recursive forecasts: the range of the values, extended by half of it on both sides. */
  lower: number;
  upper: number;
  toOriginal: (value: number) => number;
};

/** Standardises a series, optionally by its logarithms, which requires positive values. */
export function standardise(series: readonly number[], isLog: boolean): Transformed {
  const plain = Float64Array.from(series, isLog ? Math.log : undefined);
  const center = mean(plain);
  const scale = standardDeviation(plain) || 1;
  const values = plain.map((value) => (value - center) / scale);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const toOriginal = (value: number) => {
    const back = center + scale * value;
    return isLog ? Math.exp(back) : back;
  };
  return { values, lower: low - (high - low) / 2, upper: high + (high - low) / 2, toOriginal };
}

/** The changes from one value to the next, divided by their root mean square; 0 for the first value. */
export type Changes = {
  values: Float64Array;
  /** The range of the changes, which forecasts do not leave. */
  lower: number;
  upper: number;
  size: number;
};

/** The changes of a transformed series. */
export function takeChanges({ values }: Pick<Transformed, "values">): Changes {
  const changes = values.map((value, t) => (t === 0 ? 0 : value - values[t - 1]!));
  const size = Math.sqrt(mean(changes.map((change) => change ** 2))) || 1;
  const scaled = changes.map((change) => change / size);
  return { values: scaled, lower: Math.min(...scaled), upper: Math.max(...scaled), size };
}

/** The values after `last` by their scaled changes. */
export function addChanges(last: number, changes: Float64Array, size: number): Float64Array {
  let value = last;
  return changes.map((change) => {
    value += change * size;
    return value;
  });
}
