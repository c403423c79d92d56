import { unknown } from "./figures.ts";

const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A part of a whole from 0 to 1: `12.34%`; what is there but rounds to nothing is `<0.01%`. */
export function formatFraction(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  return value > 0 && value < 0.000_05 ? "<0.01%" : percent.format(value);
}
