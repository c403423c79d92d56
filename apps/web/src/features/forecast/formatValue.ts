const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

/** A value of any series, positive or not, in five significant digits. */
export const formatValue = (value: number): string =>
  Math.abs(value) >= 1e9 || (value !== 0 && Math.abs(value) < 1e-6)
    ? value.toExponential(3).replace("-", "−")
    : digits.format(value).replace("-", "−");

/** The same for the axis of a chart, where there is little space. */
export const formatNumberShort = (value: number): string =>
  Math.abs(value) >= 1e5 && Math.abs(value) < 1e15 ? compact.format(value).replace("-", "−") : formatValue(value);
