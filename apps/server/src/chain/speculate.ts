/**
 * Reads a value, and works with it. Where a value is expected, the work starts with that while the value is read, and its
 * outcome counts only if the value is the expected one. Otherwise the work starts (again) with the value read, and the first
 * outcome is dropped.
 *
 * @param expected - What will probably be read; null where nothing is known.
 * @param read - Sends its requests at once: those of the work come after them, in the same round trip.
 * @param work - May run twice, and must change nothing.
 * @throws what `read` throws; what `work` throws with the value read.
 */
export async function speculate<Expected, Value extends Expected, Result>({
  expected,
  read,
  isExpected,
  work,
}: {
  expected: Expected | null;
  read: () => Promise<Value>;
  isExpected: (value: Value, expected: Expected) => boolean;
  work: (value: Expected) => Promise<Result>;
}): Promise<{ value: Value; result: Result }> {
  const reading = read();
  const started = expected === null ? null : { expected, result: work(expected) };
  started?.result.catch(() => undefined);
  const value = await reading;
  const isValid = started !== null && isExpected(value, started.expected);
  return { value, result: await (isValid ? started.result : work(value)) };
}
