/** Returns a function that creates a value at its first call, and returns it at each call. */
export function once<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => (created ??= create());
}
