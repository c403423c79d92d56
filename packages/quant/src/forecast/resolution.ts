/** Values with more decimals, or with more digits in all, count as continuous. */
const maxDecimals = 6;
const largestMultiple = 1e9;

/** Whether a value is the number that is nearest to a decimal, as numbers from text are. */
const isMultiple = (value: number, scale: number) => {
  const multiple = Math.round(value * scale);
  return Math.abs(multiple) <= largestMultiple && multiple / scale === value;
};

/** The smallest number of decimals that all values of a series have: 0 for whole numbers; null for continuous values. */
export function findDecimals(series: readonly number[]): number | null {
  for (let decimals = 0; decimals <= maxDecimals; decimals++) {
    const scale = 10 ** decimals;
    if (series.every((value) => isMultiple(value, scale))) return decimals;
  }
  return null;
}

/** The difference between adjacent values that a series can have; 0 for continuous values. */
export function getResolution(series: readonly number[]): number {
  const decimals = findDecimals(series);
  return decimals === null ? 0 : 10 ** -decimals;
}

/** The nearest number with these decimals: a quantile of a series with a resolution is a multiple of it. */
export function roundToDecimals(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  const multiple = Math.round(value * scale);
  // Adding 0 converts -0. Larger numbers have no decimals that could be rounded.
  return Number.isSafeInteger(multiple) ? multiple / scale + 0 : value;
}
