/** The change against the day before returns to its mean: this share of the distance remains after a day. */
const persistence = 0.7;
const halfLifeDays = 7;
/** The share of a day over which the latest change is measured. */
const recentShare = 1 / 3;

/**
 * Seasonal drift: repeats the last season plus its change, which returns from the latest change to a recency-weighted
 * mean change (the mean-reverting form of a seasonal random walk with drift, Hyndman & Athanasopoulos 2021, section 5.2).
 *
 * @param values the history, at least two seasons
 */
export function forecastDrift(values: Float64Array, season: number, horizon: number): Float64Array {
  const n = values.length;
  const decay = 0.5 ** (1 / (halfLifeDays * season));
  const recent = Math.max(1, Math.round(recentShare * season));
  let [sum, weights, latest, weight] = [0, 0, 0, 1];
  for (let t = n - 1; t >= season; t--, weight *= decay) {
    const change = values[t]! - values[t - season]!;
    sum += weight * change;
    weights += weight;
    if (t >= n - recent) latest += change / recent;
  }
  const average = sum / weights;
  const path = new Float64Array(n + horizon);
  path.set(values);
  for (let t = n; t < path.length; t++) {
    const seasonsAhead = (t - n + 1) / season;
    path[t] = path[t - season]! + average + (latest - average) * persistence ** seasonsAhead;
  }
  return path.slice(n);
}
