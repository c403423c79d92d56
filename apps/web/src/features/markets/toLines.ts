/** Room above and below the line, so that its extremes are not cut. */
const margin = 4;

/**
 * A course of values as the points of polylines in a box, one for each stretch without a gap.
 *
 * @param values - One a step; null is unknown and interrupts the line.
 */
export function toLines(values: readonly (number | null)[], width: number, height: number): string[] {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const scale = high > low ? (height - 2 * margin) / (high - low) : 0;
  const lines: string[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) {
      lines.push([]);
      continue;
    }
    const x = values.length > 1 ? (index / (values.length - 1)) * width : 0;
    const y = scale === 0 ? height / 2 : height - margin - (value - low) * scale;
    lines.at(-1)!.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  }
  // A stretch of one hour has no length: it is drawn as a short line at its place.
  return lines
    .filter((points) => points.length > 0)
    .map((points) => (points.length === 1 ? `${points[0]} ${points[0]}` : points.join(" ")));
}
