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
