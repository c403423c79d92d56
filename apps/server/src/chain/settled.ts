/** The value of a promise that was awaited with `Promise.allSettled`. @throws what the promise was rejected with. */
export function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
