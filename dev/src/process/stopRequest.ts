/** How soon a second Ctrl-C counts as one of its own: npm passes on the one that the terminal sent as well. */
const repeatMs = 2_000;

/** Why the signal of `stopRequest` was aborted. */
export class StopRequested extends Error {
  override readonly name = "StopRequested";
}

const parentCheckMs = 500;

/**
 * A signal that is aborted by the first SIGINT, SIGTERM or SIGHUP of this process, or when it runs as an npm script
 * and npm's shell has gone: that shell does not pass on a SIGTERM. A later signal, after two seconds, ends the process
 * at once; its guard then ends the children.
 */
export function stopRequest(): AbortSignal {
  const asked = new AbortController();
  let askedAt = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (!asked.signal.aborted) {
        askedAt = Date.now();
        asked.abort(new StopRequested());
      } else if (Date.now() - askedAt > repeatMs) process.exit(130);
    });
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) asked.abort(new StopRequested());
    }, parentCheckMs).unref();
  }
  return asked.signal;
}
