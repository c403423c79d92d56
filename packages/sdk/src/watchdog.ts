/** The service says something every 15 seconds; who is silent for so long is gone. */
const silenceMs = 45_000;

/** Calls `bite` when `feed` was not called for long. */
export function createWatchdog(bite: () => void): { feed(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const feed = () => {
    stop();
    timer = setTimeout(bite, silenceMs);
  };
  feed();
  return { feed, stop };
}
