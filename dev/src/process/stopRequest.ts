import { whenNpmIsGone } from "./whenNpmIsGone.ts";

/** How soon a second Ctrl-C counts as one of its own: npm passes on the one that the terminal sent as well. */
const repeatMs = 2_000;

/** Why the signal of `stopRequest` was aborted. */
export class StopRequested extends Error {
  override readonly name = "StopRequested";
}

/**
 * A signal that is aborted by the first SIGINT, SIGTERM or SIGHUP of this process, or when npm is gone that ran it. A
 * later signal, after two seconds, ends the process at once; its guard then ends the children.
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
  whenNpmIsGone(() => asked.abort(new StopRequested()));
  return asked.signal;
}
