export type HitRecord = { hits: number; count: number };

/**
 * The weight κ of the prior of hit rates by moments (beta-binomial; Kleinman 1973), from the spread between groups that
 * exceeds chance. Infinite without such a spread: every group then has the common rate.
 *
 * @returns the common rate p0 (0.5 without records) and κ
 */
export function fitHitRatePrior(records: readonly HitRecord[]): { rate: number; weight: number } {
  const used = records.filter(({ count }) => count > 0);
  const total = used.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return { rate: 0.5, weight: Number.POSITIVE_INFINITY };
  const rate = used.reduce((sum, { hits }) => sum + hits, 0) / total;
  const between = used.reduce((sum, { hits, count }) => sum + count * (hits / count - rate) ** 2, 0);
  const spread = rate * (1 - rate);
  const effective = total - used.reduce((sum, { count }) => sum + count ** 2, 0) / total;
  // Intraclass correlation: E[between] = spread (groups - 1) + correlation spread (effective - groups + 1).
  const groups = used.length - 1;
  const correlation = (between - spread * groups) / (spread * (effective - groups));
  if (!(correlation > 0) || effective <= groups) return { rate, weight: Number.POSITIVE_INFINITY };
  return { rate, weight: Math.max(0, 1 / Math.min(correlation, 1) - 1) };
}

/** A hit rate shrunk towards the common rate: (hits + κ p0) / (n + κ). */
export function shrinkHitRate({ hits, count }: HitRecord, { rate, weight }: { rate: number; weight: number }): number {
  if (!Number.isFinite(weight) || count + weight === 0) return rate;
  return (hits + weight * rate) / (count + weight);
}
