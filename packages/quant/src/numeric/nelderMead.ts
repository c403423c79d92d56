type Vertex = { point: number[]; value: number };

const byValue = (a: Vertex, b: Vertex) => a.value - b.value;

/**
 * Minimises a function without derivatives (Nelder & Mead 1965), from a start and a step for each coordinate. A value
 * that is not finite counts as infinite. Stops when the values of the simplex agree to `tolerance`, or after
 * `maxEvaluations`.
 */
export function minimise(
  objective: (point: readonly number[]) => number,
  start: readonly number[],
  step: readonly number[],
  { tolerance = 1e-10, maxEvaluations = 2_000 }: { tolerance?: number; maxEvaluations?: number } = {},
): Vertex & { converged: boolean } {
  let evaluations = 0;
  const evaluate = (point: number[]): Vertex => {
    evaluations++;
    const value = objective(point);
    return { point, value: Number.isFinite(value) ? value : Number.MAX_VALUE };
  };
  const size = start.length;
  const simplex = [evaluate([...start])];
  for (let i = 0; i < size; i++) simplex.push(evaluate(start.map((value, j) => (i === j ? value + step[i]! : value))));
  while (evaluations < maxEvaluations) {
    simplex.sort(byValue);
    const best = simplex[0]!;
    const worst = simplex[size]!;
    if (worst.value - best.value <= tolerance * (Math.abs(best.value) + tolerance)) return { ...best, converged: true };
    const center = start.map((_, j) => simplex.slice(0, size).reduce((sum, { point }) => sum + point[j]! / size, 0));
    const along = (factor: number) => evaluate(center.map((value, j) => value + factor * (value - worst.point[j]!)));
    const reflected = along(1);
    if (reflected.value < best.value) {
      const expanded = along(2);
      simplex[size] = expanded.value < reflected.value ? expanded : reflected;
      continue;
    }
    if (reflected.value < simplex[size - 1]!.value) {
      simplex[size] = reflected;
      continue;
    }
    const contracted = along(reflected.value < worst.value ? 0.5 : -0.5);
    if (contracted.value < Math.min(reflected.value, worst.value)) {
      simplex[size] = contracted;
      continue;
    }
    for (let i = 1; i <= size; i++)
      simplex[i] = evaluate(simplex[i]!.point.map((value, j) => (value + best.point[j]!) / 2));
  }
  simplex.sort(byValue);
  return { ...simplex[0]!, converged: false };
}
