type Bar = { t: number; c: number };

/**
 * The closes of the last hours of a market as a series without gaps: a missing hour has the close before it, because a
 * forecast takes values that are all the same time apart.
 *
 * @param bars - Closed bars of an hour, oldest first.
 * @param count - How many values at most.
 * @returns how many hours were filled, too: they are said beside the series.
 */
export function toSeries(bars: readonly Bar[], count: number): { values: number[]; filled: number } {
  const hourSeconds = 3_600;
  const values: { close: number; isFilled: boolean }[] = [];
  for (const [index, { t, c }] of bars.entries()) {
    const before = bars[index - 1];
    const missing = before === undefined ? 0 : Math.max(0, Math.round((t - before.t) / hourSeconds) - 1);
    for (let hour = 0; hour < Math.min(missing, count); hour += 1) values.push({ close: before!.c, isFilled: true });
    values.push({ close: c, isFilled: false });
  }
  const last = values.slice(-count);
  return { values: last.map(({ close }) => close), filled: last.filter(({ isFilled }) => isFilled).length };
}
