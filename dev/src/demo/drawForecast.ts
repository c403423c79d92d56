/** Data of a forecast chart: the last values, then the median of the next ones with two intervals. */
export type ForecastChart = {
  past: readonly number[];
  median: readonly number[];
  /** The wide interval, which contains the narrow one. */
  wide: { lower: readonly number[]; upper: readonly number[] };
  narrow: { lower: readonly number[]; upper: readonly number[] };
};

const rows = 15;
const labelWidth = 9;
/** The number of rows between two labels of the value axis. */
const labelEvery = 7;

/** Formats a price: 61,234 or 0.26312. */
export const formatPrice = (value: number): string =>
  value >= 1000 ? value.toLocaleString("en-US", { maximumFractionDigits: 0 }) : String(Number(value.toPrecision(5)));

/**
 * Draws a forecast in plain characters, one column for each value. Layers of the chart differ only by their character,
 * not by colour.
 *
 * @returns the lines: the chart, the time axis and the legend
 */
export function drawForecast({ past, median, wide, narrow }: ForecastChart): string[] {
  const all = [...past, ...wide.lower, ...wide.upper];
  const lowest = Math.min(...all);
  const highest = Math.max(...all);
  const span = highest - lowest || highest || 1;
  const getRow = (value: number) => Math.round(((highest - value) / span) * (rows - 1));
  const grid = Array.from({ length: rows }, () => Array.from({ length: past.length + median.length }, () => " "));
  const put = (column: number, value: number, character: string) => {
    grid[getRow(value)]![column] = character;
  };
  const fill = (column: number, { lower, upper }: ForecastChart["wide"], at: number, character: string) => {
    for (let row = getRow(upper[at]!); row <= getRow(lower[at]!); row++) grid[row]![column] = character;
  };
  for (const [at, value] of past.entries()) put(at, value, "*");
  median.forEach((value, at) => {
    fill(past.length + at, wide, at, ".");
    fill(past.length + at, narrow, at, ":");
    put(past.length + at, value, "o");
  });
  const lines = grid.map((line, row) => {
    const value = highest - (row / (rows - 1)) * span;
    const label = row % labelEvery === 0 ? formatPrice(value) : "";
    const text = `${line.slice(0, past.length).join("")}|${line.slice(past.length).join("")}`;
    return `${label.padStart(labelWidth)} |${text.trimEnd()}`;
  });
  const axis = `${"-".repeat(past.length)}+${"-".repeat(median.length)}`;
  const before = `-${past.length} h`;
  const after = `+${median.length} h`;
  const scale = `${before.padEnd(past.length - 1)}now${after.padStart(median.length - 2)}`;
  return [...lines, `${"".padStart(labelWidth)} +${axis}`, `${"".padStart(labelWidth)}  ${scale}`];
}
