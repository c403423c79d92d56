/** A published probability and its outcome. */
export type Outcome = { probability: number; isHit: boolean };
export type ReliabilityBin = { from: number; to: number; count: number; meanProbability: number; hitRate: number };

/**
 * Bins of equal width with the mean probability and the hit rate of each; empty bins are omitted (Murphy & Winkler
 * 1977).
 */
export function reliabilityBins(outcomes: readonly Outcome[], bins = 10): ReliabilityBin[] {
  const groups = Map.groupBy(outcomes, ({ probability }) => Math.min(bins - 1, Math.floor(probability * bins)));
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([bin, members]) => {
      const count = members.length;
      const meanProbability = members.reduce((sum, { probability }) => sum + probability, 0) / count;
      const hitRate = members.filter(({ isHit }) => isHit).length / count;
      return { from: bin / bins, to: (bin + 1) / bins, count, meanProbability, hitRate };
    });
}

/** The expected calibration error: the mean distance of probability and hit rate over bins, weighted by their counts. */
export function calibrationError(outcomes: readonly Outcome[], bins = 10): number {
  let sum = 0;
  for (const { count, meanProbability, hitRate } of reliabilityBins(outcomes, bins))
    sum += count * Math.abs(meanProbability - hitRate);
  return sum / outcomes.length;
}

/** The Brier score: the mean squared distance of probability and outcome (Brier 1950). */
export function brierScore(outcomes: readonly Outcome[]): number {
  let sum = 0;
  for (const { probability, isHit } of outcomes) sum += (probability - (isHit ? 1 : 0)) ** 2;
  return sum / outcomes.length;
}
