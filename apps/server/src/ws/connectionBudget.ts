/**
 * A bucket of tokens: so many messages a second in the mean, twice as many at once.
 *
 * @param now - Milliseconds.
 */
export function createConnectionBudget(perSecond: number, now: () => number): { take(): boolean } {
  const most = perSecond * 2;
  let left = most;
  let filledAt = now();
  return {
    /** Takes one message's worth; false when there is none left. */
    take: () => {
      const at = now();
      left = Math.min(most, left + (Math.max(0, at - filledAt) * perSecond) / 1_000);
      filledAt = at;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
