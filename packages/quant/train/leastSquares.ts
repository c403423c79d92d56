import { factorCholesky, solveCholesky } from "../src/numeric/cholesky.ts";

/** The coefficients of an ordinary least squares fit, with a ridge of `ridge` on each. */
export function fitLeastSquares(rows: readonly number[][], targets: readonly number[], ridge = 1e-6): number[] {
  const size = rows[0]!.length;
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (const [t, row] of rows.entries())
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) matrix[i * size + j]! += row[i]! * row[j]!;
      right[i]! += row[i]! * targets[t]!;
    }
  for (let i = 0; i < size; i++) matrix[i * size + i]! += ridge * rows.length;
  return [...solveCholesky(factorCholesky(matrix, size), size, right)];
}
