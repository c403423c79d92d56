import { unknown } from "./figures.ts";

const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats a fraction from 0 to 1 as percent: `12.34%`; a positive fraction that rounds to zero is `<0.01%`. */
export function formatFraction(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  return value > 0 && value < 0.000_05 ? "<0.01%" : percent.format(value);
}

const plain = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });

/** Formats a percentage from 0 to 100 without needless digits: `0%`, `3.5%`; a positive one that rounds to zero is `<0.01%`. */
export function formatPercentage(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  return value > 0 && value < 0.005 ? "<0.01%" : plain.format(value / 100);
}
