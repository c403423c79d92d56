/**
 * Factors a symmetric positive definite matrix in place into its lower Cholesky factor (row-major, size x size; the
 * upper triangle is neither read nor written). Raises a pivot that is not positive to `1e-12` of the largest diagonal
 * entry, so that collinear columns get finite coefficients.
 */
export function factorCholesky(matrix: Float64Array, size: number): Float64Array {
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, matrix[i * size + i]!);
  const floor = Math.max(largest * 1e-12, Number.MIN_VALUE);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j]!;
      for (let k = 0; k < j; k++) sum -= matrix[i * size + k]! * matrix[j * size + k]!;
      matrix[i * size + j] = i === j ? Math.sqrt(Math.max(sum, floor)) : sum / matrix[j * size + j]!;
    }
  }
  return matrix;
}

/** Solves L Lᵀ x = right side for a factor of `factorCholesky`; overwrites and returns the right side. */
export function solveCholesky(factor: Float64Array, size: number, right: Float64Array): Float64Array {
  for (let i = 0; i < size; i++) {
    let sum = right[i]!;
    for (let k = 0; k < i; k++) sum -= factor[i * size + k]! * right[k]!;
    right[i] = sum / factor[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = right[i]!;
    for (let k = i + 1; k < size; k++) sum -= factor[k * size + i]! * right[k]!;
    right[i] = sum / factor[i * size + i]!;
  }
  return right;
}

/** The inverse of a symmetric positive definite matrix (row-major); the argument is not changed. */
export function invertCholesky(matrix: Float64Array, size: number): Float64Array {
  const factor = factorCholesky(matrix.slice(), size);
  const inverse = new Float64Array(size * size);
  const column = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    column.fill(0);
    column[j] = 1;
    solveCholesky(factor, size, column);
    for (let i = 0; i < size; i++) inverse[i * size + j] = column[i]!;
  }
  return inverse;
}
