const shownDigits = 6;

/** Digits before and after the point of an amount, without trailing zeros. */
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
 * An amount to read: rounded down to six significant digits, whole digits complete and grouped. What is below
 * 0.000001 is shown as `<0.000001`: never as nothing.
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

/** An amount exactly, as a field takes it: without groups, with every digit. */
export function toExactAmount(value: bigint, decimals: number): string {
  const { sign, whole, fraction } = split(value, decimals);
  return `${sign === "" ? "" : "-"}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * What a person typed as an amount, in the asset's smallest unit; null for what is no amount or has more decimals than
 * the asset. A comma is refused: it is a point to some and a group to others.
 */
export function parseAmount(text: string, decimals: number): bigint | null {
  const match = /^(\d{0,60})(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return null;
  const [, whole = "", fraction = ""] = match;
  if ((whole === "" && fraction === "") || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
