/**
 * Repeats the season: the weighted mean of the last values at the same position, the weight halving with each season of
 * age. With one season it is the seasonal naive forecast.
 *
 * @param values the history on the model's scale, at least one season
 * @param seasons the maximum number of seasons in the mean
 */
export function forecastSeasonalMean(
  values: Float64Array,
  season: number,
  { seasons, horizon }: { seasons: number; horizon: number },
): Float64Array {
  const count = Math.min(seasons, Math.floor(values.length / season));
  return Float64Array.from({ length: horizon }, (_, h) => {
    let [sum, weights] = [0, 0];
    for (let k = 1; k <= count; k++) {
      const weight = 0.5 ** k;
      sum += weight * values[values.length - k * season + (h % season)]!;
      weights += weight;
    }
    return sum / weights;
  });
}

/** The share of the last value's deviation that the first step keeps, and that remains of it after a season. */
const shiftShare = 0.75;
const persistence = 0.08;
/** The same share when the series is one season long, so that the expected last value is extrapolated. */
const extrapolatedShare = 0.5;

/**
 * Repeats the last season, moved by the deviation of the last value from its value a season ago. The deviation decays
 * with the horizon (an autoregression of the seasonal differences with a fixed coefficient).
 *
 * @param values the history on the model's scale, at least one season
 */
export function forecastSeasonalShift(values: Float64Array, season: number, horizon: number): Float64Array {
  const n = values.length;
  const isExtrapolated = n === season;
  const step = (values[1]! - values[0]! + values[n - 1]! - values[n - 2]!) / 2;
  const expected = isExtrapolated ? values[0]! - step : values[n - 1 - season]!;
  const deviation = (isExtrapolated ? extrapolatedShare : shiftShare) * (values[n - 1]! - expected);
  return Float64Array.from(
    { length: horizon },
    (_, h) => values[n - season + (h % season)]! + deviation * persistence ** ((h + 1) / season),
  );
}
