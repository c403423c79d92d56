/**
 * Creates a function that shares one computation between its callers: calls during a computation wait for it, and its
 * result is returned for `lifetimeMs` after its end. A failed computation is not kept.
 *
 * @param options.now - In milliseconds.
 */
export function createSharedResult<T>(options: {
  compute: () => Promise<T>;
  lifetimeMs: number;
  now: () => number;
}): () => Promise<T> {
  const { compute, lifetimeMs, now } = options;
  /** `endedAt` is null during the computation. */
  let latest: { result: Promise<T>; endedAt: number | null } | null = null;

  // The machine's clock can be set back.
  const isFresh = (endedAt: number) => Math.abs(now() - endedAt) < lifetimeMs;

  return () => {
    if (latest !== null && (latest.endedAt === null || isFresh(latest.endedAt))) return latest.result;
    const started: NonNullable<typeof latest> = { result: compute(), endedAt: null };
    latest = started;
    started.result.then(
      () => {
        started.endedAt = now();
      },
      () => {
        latest = null;
      },
    );
    return started.result;
  };
}
