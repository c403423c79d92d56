import type { LaunchOptions } from "@slipway/protocol/launchOptions";

const daySeconds = 86_400;

/** The days of a vesting as typed: until it begins, and from then until everything is vested. */
export type VestingDays = { vestingWait: string; vestingTime: string };

export const vestingNames = ["vestingWait", "vestingTime"] as const satisfies readonly (keyof VestingDays)[];

export const noVesting: VestingDays = { vestingWait: "", vestingTime: "" };

/** Parses a whole number of days from 1 to ten years; null if it is none. */
const parseDays = (text: string): number | null => {
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return days >= 1 && days <= 3_650 ? days : null;
};

/** Whether the tokens of the initial buy vest: a field has a text. */
export const hasVesting = ({ vestingWait, vestingTime }: VestingDays): boolean =>
  vestingWait.trim() !== "" || vestingTime.trim() !== "";

/**
 * Converts days to the dates of a vesting in Unix seconds; null if a field is invalid.
 *
 * @param now - The time from which the days count, in milliseconds.
 */
export function toVesting(
  { vestingWait, vestingTime }: VestingDays,
  now: number,
): { cliff: number; end: number } | null {
  const [wait, time] = [parseDays(vestingWait), parseDays(vestingTime)];
  if (wait === null || time === null || wait + time > 3_650) return null;
  const cliff = Math.floor(now / 1_000) + wait * daySeconds;
  return { cliff, end: cliff + time * daySeconds };
}

/** Converts the dates of a stored draft to days from now, at least one each. */
export function toVestingDays(vesting: NonNullable<LaunchOptions["initial_buy"]>["vesting"], now: number): VestingDays {
  if (!vesting) return noVesting;
  const toDays = (seconds: number) => String(Math.max(1, Math.round(seconds / daySeconds)));
  const { cliff, end } = vesting;
  return { vestingWait: toDays(cliff - now / 1_000), vestingTime: toDays(end - cliff) };
}
