import type { Days } from "./dailyVariances.ts";
import { forecastHarFrom } from "./har.ts";
import { createRangeMeans, dayReturn, type HourGrid } from "./hourGrid.ts";
import type { VolatilityPath } from "./volatilityPath.ts";

/** Variances of the 24 hours after each hour; NaN without a forecast. */
export type HourlyVolatility = {
  garch: Float64Array;
  combined: Float64Array;
  /** The index of the latest daily forecast at each hour. */
  day: Int32Array;
};

const hour = 3_600;
const daySeconds = 24 * hour;

/**
 * The volatility forecasts at every hour: the daily path's fits in force, on days that end at the hour. At the end of a
 * day of the path they equal the path's forecasts. GARCH interpolates the previous variance between two days of the
 * path.
 *
 * @param from the first hour; values before it are NaN
 */
export function computeHourlyVolatility(
  grid: HourGrid,
  days: Days,
  path: VolatilityPath,
  from: number,
): HourlyVolatility {
  const count = grid.close.length;
  const empty = () => new Float64Array(count).fill(Number.NaN);
  const result = { garch: empty(), combined: empty(), day: new Int32Array(count) };
  const rangeMean = createRangeMeans(grid);
  let day = 0;
  for (let i = 0; i < count; i++) {
    const now = grid.start + (i + 1) * hour;
    while (day < days.end.length && days.end[day]! <= now) day++;
    result.day[i] = day;
    if (i < from || day === 0 || Number.isNaN(grid.close[i]!)) continue;
    const share = Math.min(1, (now - days.end[day - 1]!) / daySeconds);
    const harFit = path.harFits[day];
    const garch = path.garchFits[day];
    let har = Number.NaN;
    if (share === 0) {
      har = path.har[day]!;
      result.garch[i] = path.garch[day]!;
    } else {
      if (harFit)
        har = forecastHarFrom(harFit, {
          halfDay: rangeMean(i, 12),
          day: rangeMean(i, 24),
          week: rangeMean(i, 7 * 24),
          month: rangeMean(i, 30 * 24),
        });
      if (garch) {
        const after = path.garch[day]!;
        const before = Number.isNaN(path.garch[day - 1]!) ? after : path.garch[day - 1]!;
        const variance = before * (1 - share) + after * share;
        const surprise = (dayReturn(grid, i) - garch.mu) ** 2;
        // For an unknown return its expected square: the variance.
        const square = Number.isNaN(surprise) ? variance : surprise;
        result.garch[i] = garch.omega + garch.alpha * square + garch.beta * variance;
      }
    }
    const other = result.garch[i]!;
    result.combined[i] = Number.isNaN(other) ? har : Number.isNaN(har) ? other : Math.sqrt(har * other);
  }
  return result;
}
