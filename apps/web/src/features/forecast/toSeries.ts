type Bar = { t: number; c: number };

/**
 * Returns the latest hourly closes of a market as a series without gaps. A missing hour gets the previous close,
 * because a forecast requires equally spaced values.
 *
 * @param bars - Closed bars of one hour, oldest first.
 * @param count - The maximum number of values.
 * @returns the values and the number of filled hours, which the form shows
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
