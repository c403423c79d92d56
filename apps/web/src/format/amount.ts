const shownDigits = 6;

/** Splits an amount into its digits before and after the point, without trailing zeros. */
function split(value: bigint, decimals: number): { sign: string; whole: string; fraction: string } {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return {
    sign: value < 0n ? "−" : "",
    whole: digits.slice(0, point),
    fraction: digits.slice(point).replace(/0+$/, ""),
  };
}

/**
 * Formats an amount, rounded down to six significant digits; whole digits are complete and grouped. An amount below
 * 0.000001 is `<0.000001`, never zero.
 *
 * @param value - In the asset's smallest unit.
 */
export function formatAmount(value: bigint, decimals: number): string {
  const { sign, whole, fraction } = split(value, decimals);
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const leadingZeros = whole === "0" ? /^0*/.exec(fraction)![0].length : 0;
  if (whole === "0" && fraction !== "" && leadingZeros >= shownDigits) return `${sign}<0.000001`;
  const places = whole === "0" ? leadingZeros + shownDigits : Math.max(0, shownDigits - whole.length);
  const shown = fraction.slice(0, places).replace(/0+$/, "");
  return `${sign}${grouped}${shown === "" ? "" : `.${shown}`}`;
}

/** Formats an amount exactly for an input field: without groups, with every digit. */
export function toExactAmount(value: bigint, decimals: number): string {
  const { sign, whole, fraction } = split(value, decimals);
  return `${sign === "" ? "" : "-"}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * Parses an amount to the asset's smallest unit; null if the text is invalid or has more decimals than the asset. A comma
 * is a decimal point, because the keypads of many phones have no other one. With three digits after it, as in `1,234`,
 * it can also separate groups: that is null, but `0,125` is not.
 */
export function parseAmount(text: string, decimals: number): bigint | null {
  const trimmed = text.trim();
  if (/^[1-9]\d{0,2},\d{3}$/.test(trimmed)) return null;
  const match = /^(\d{0,60})(?:[.,](\d*))?$/.exec(trimmed);
  if (match === null) return null;
  const [, whole = "", fraction = ""] = match;
  if ((whole === "" && fraction === "") || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
