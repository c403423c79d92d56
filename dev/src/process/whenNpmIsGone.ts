const parentCheckMs = 500;

/**
 * Acts once when this process runs as an npm script and npm's shell has gone: that shell does not pass on a SIGTERM.
 * Does not keep the process alive.
 */
export function whenNpmIsGone(act: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, parentCheckMs).unref();
}
