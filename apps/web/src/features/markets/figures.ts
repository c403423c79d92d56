import { formatPercent, unknown } from "../../format/figures.ts";
import { createNumberFormat } from "../../format/formats.ts";
import { formatFraction } from "../../format/share.ts";

const oneDecimal = createNumberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const plain = createNumberFormat({ maximumSignificantDigits: 3 });
const whole = createNumberFormat({ maximumFractionDigits: 0 });

/** Formats a fraction as percent without a sign: 0.031 is `3.10%`. */
export const formatRisk = formatFraction;

/** Formats a fraction as a signed percentage; null is unknown. */
export const formatChange = (value: number | null): string => formatPercent(value === null ? null : value * 100);

/** Formats a fraction from 0 to 1 as whole percent, e.g. a hit rate or a percentile. */
export const formatRate = (value: number | null): string => (value === null ? unknown : `${whole(value * 100)}%`);

/** Formats basis points with a sign and one decimal. */
export const formatBps = (value: number): string => {
  const text = oneDecimal(Math.abs(value));
  return `${text === "0.0" ? "" : value < 0 ? "−" : "+"}${text}`;
};

/** Formats a number with three significant digits, e.g. a p-value. */
export const formatNumber = (value: number | null): string => (value === null ? unknown : plain(value));

/** Formats a score from 0 to 100. */
export const formatScore = (value: number | null): string => (value === null ? unknown : whole(value));
