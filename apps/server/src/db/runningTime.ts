/** How often the time advances. */
const tickMs = 100;

/**
 * The time for which this process has been running: a tick of a timer counts 100 ms, or the CPU time that this thread has
 * used since the last one if that is more. A process that a busy or suspended machine does not run has not read the
 * answers that it waits for: such a time says nothing about its load.
 */
export type RunningTime = { nowMs(): number; stop(): void };

/** @param onTick - Called after each tick. */
export function startRunningTime(onTick: () => void): RunningTime {
  let nowMs = 0;
  let cpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(cpu);
    cpu = process.threadCpuUsage();
    nowMs += Math.max(tickMs, (user + system) / 1_000);
    onTick();
  }, tickMs).unref();
  return { nowMs: () => nowMs, stop: () => clearInterval(timer) };
}
