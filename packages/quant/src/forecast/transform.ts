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
