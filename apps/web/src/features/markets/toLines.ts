/** Space above and below the line, so that its extremes are not clipped. */
const margin = 4;

/**
 * Converts values to polyline points in a box, one polyline per section without a gap.
 *
 * @param values - One per step; null is unknown and interrupts the line.
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
  // A section of one hour has no length: draw a short line.
  return lines
    .filter((points) => points.length > 0)
    .map((points) => (points.length === 1 ? `${points[0]} ${points[0]}` : points.join(" ")));
}
