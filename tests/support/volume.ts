/** One of how many: each run does this part of the full volume; `npm test -- --nightly` does all of it. */
const dailyPart = 3;

/**
 * How many random requests, seeds or mutations a test does.
 *
 * @param full - The number of a nightly run.
 * @param setting - The environment variable that names another number.
 */
export function getVolume(full: number, setting: string): number {
  const named = process.env[setting];
  if (named !== undefined) return Number(named);
  return process.env.TEST_VOLUME === "full" ? full : Math.ceil(full / dailyPart);
}
