/**
 * The divisor of a run's volume: each run does this part of the full volume; `npm test -- --nightly` does all of it.
 */
const usualDailyPart = 10;

/** Whether this run does all of the volume. */
export const isFullVolume = process.env.TEST_VOLUME === "full";

/**
 * Returns the number of random requests, seeds or mutations of a test.
 *
 * @param full - The number of a nightly run.
 * @param setting - The environment variable that overrides the number.
 * @param dailyPart - The divisor of other runs, for a test whose volume takes long.
 */
export function getVolume(full: number, setting: string, dailyPart = usualDailyPart): number {
  const named = process.env[setting];
  if (named !== undefined) return Number(named);
  return isFullVolume ? full : Math.ceil(full / dailyPart);
}
