/** @throws RangeError when two lists to compare value by value differ in length, or are empty */
export function requireEqualLength(actual: readonly number[], forecast: readonly number[]): void {
  if (actual.length !== forecast.length || actual.length === 0)
    throw new RangeError(
      `${actual.length} values cannot be compared with ${forecast.length}: pass equally many, at least one`,
    );
}
