import { unknown } from "./figures.ts";
import { createNumberFormat } from "./formats.ts";

const percent = createNumberFormat({
  style: "percent",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Removes the space before the sign, which Spanish has, as in all other percentages of the site. */
const joined = (text: string) => text.replace("\u00a0", "");

/** Formats a fraction from 0 to 1 as percent: `12.34%`; a positive fraction that rounds to zero is `<0.01%`. */
export function formatFraction(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  return value > 0 && value < 0.000_05 ? `<${joined(percent(0.0001))}` : joined(percent(value));
}

const plain = createNumberFormat({ style: "percent", maximumFractionDigits: 2 });

/** Formats a percentage from 0 to 100 without needless digits: `0%`, `3.5%`; a positive one that rounds to zero is `<0.01%`. */
export function formatPercentage(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  return value > 0 && value < 0.005 ? `<${joined(percent(0.0001))}` : joined(plain(value / 100));
}
