/** A release of fees to a wallet, as the API lists them. */
type Release = { block_timestamp: string; asset: string; amount: string; token: { address: string } | null };

/** The fees of a day: `day` is its start in UTC, `wei` what arrived in native and wrapped native. */
export type FeeDay = { day: string; wei: bigint };

const dayMs = 86_400_000;

/**
 * Sums the released native and wrapped native by day (UTC), oldest first, with the days without a release.
 *
 * @param count - The number of days, which end with the day of `now`.
 */
export function sumFeesByDay(releases: readonly Release[], count: number, now: Date): FeeDay[] {
  const sums = new Map<string, bigint>();
  for (const { block_timestamp, asset, amount, token } of releases) {
    // A launched token has no common unit with native.
    if (token !== null && token.address.toLowerCase() === asset.toLowerCase()) continue;
    const day = block_timestamp.slice(0, 10);
    sums.set(day, (sums.get(day) ?? 0n) + BigInt(amount));
  }
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10);
    return { day, wei: sums.get(day) ?? 0n };
  });
}
