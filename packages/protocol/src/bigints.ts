/** Returns the smaller of two integers. `Math.min` takes no bigint. */
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Returns the larger of two integers. */
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
