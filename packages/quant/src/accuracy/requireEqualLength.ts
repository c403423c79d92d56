/** @throws RangeError when two lists that are compared value by value differ in length, or are empty */
export function requireEqualLength(actual: readonly number[], forecast: readonly number[]): void {
  if (actual.length !== forecast.length || actual.length === 0)
    throw new RangeError(
      `${actual.length} values cannot be compared with ${forecast.length}: give as many, and at least one`,
    );
}
