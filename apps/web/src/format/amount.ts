import { getSigns } from "./locale.ts";
import { once } from "./once.ts";

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
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, getSigns().group);
  const leadingZeros = whole === "0" ? /^0*/.exec(fraction)![0].length : 0;
  if (whole === "0" && fraction !== "" && leadingZeros >= shownDigits) return `${sign}<0${getSigns().decimal}000001`;
  const places = whole === "0" ? leadingZeros + shownDigits : Math.max(0, shownDigits - whole.length);
  const shown = fraction.slice(0, places).replace(/0+$/, "");
  return `${sign}${grouped}${shown === "" ? "" : `${getSigns().decimal}${shown}`}`;
}

/** Formats an amount exactly for an input field: without groups, with every digit. */
export function toExactAmount(value: bigint, decimals: number): string {
  const { sign, whole, fraction } = split(value, decimals);
  return `${sign === "" ? "" : "-"}${whole}${fraction === "" ? "" : `${getSigns().decimal}${fraction}`}`;
}

const getAmbiguous = once(() => (getSigns().decimal === "," ? /^[1-9]\d{0,2}\.\d{3}$/ : /^[1-9]\d{0,2},\d{3}$/));

/**
 * Parses an amount to the asset's smallest unit; null if the text is invalid or has more decimals than the asset. A comma
 * or a point is a decimal sign, because the keypads of many phones have only one of them. With three digits after the sign
 * that does not separate decimals in the site's language, as in `1,234` in English, it can also separate groups: that is
 * null, but `0,125` is not.
 */
export function parseAmount(text: string, decimals: number): bigint | null {
  const trimmed = text.trim();
  if (getAmbiguous().test(trimmed)) return null;
  const match = /^(\d{0,60})(?:[.,](\d*))?$/.exec(trimmed);
  if (match === null) return null;
  const [, whole = "", fraction = ""] = match;
  if ((whole === "" && fraction === "") || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
