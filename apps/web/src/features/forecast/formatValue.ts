import { createNumberFormat } from "../../format/formats.ts";

const digits = createNumberFormat({ maximumSignificantDigits: 5 });
const compact = createNumberFormat({ notation: "compact", maximumSignificantDigits: 4 });

/** Formats a value of any series, also a negative one, with five significant digits. */
export const formatValue = (value: number): string =>
  Math.abs(value) >= 1e9 || (value !== 0 && Math.abs(value) < 1e-6)
    ? value.toExponential(3).replace("-", "−")
    : digits(value).replace("-", "−");

/** Formats a value for a chart axis, where space is limited. */
export const formatNumberShort = (value: number): string =>
  Math.abs(value) >= 1e5 && Math.abs(value) < 1e15 ? compact(value).replace("-", "−") : formatValue(value);
