/** A price in parts: `lead` and `digits`, with a count of the zeros between them where there are more than three. */
export type PriceParts = { lead: string; zeros: number | null; digits: string; plain: string };

const significant = 4;
const countedZeros = 4;
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const subscripts = "₀₁₂₃₄₅₆₇₈₉";

/**
 * A price with four significant digits; trailing zeros are kept so that columns align. More than three zeros after the
 * point become a count. From 1 it has two decimals, from 1,000 none.
 *
 * @param value - Not negative; a price of a token in any currency.
 */
export function toPriceParts(value: number): PriceParts {
  const whole = (text: string): PriceParts => ({ lead: text, zeros: null, digits: "", plain: text });
  if (!Number.isFinite(value) || value < 0) return whole("—");
  if (value === 0) return whole("0.00");
  // Rounds before the branches are chosen: 0.99999 is 1.00, and 999.999 is 1,000.
  const [mantissa, power] = value.toExponential(significant - 1).split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= 3) return Number(value.toFixed(2)) < 1_000 ? whole(value.toFixed(2)) : whole(grouped.format(value));
  if (exponent >= 0) return Number(value.toFixed(2)) >= 1_000 ? whole(grouped.format(value)) : whole(value.toFixed(2));
  const zeros = -exponent - 1;
  const digits = mantissa.replace(".", "");
  const plain = `0.${"0".repeat(zeros)}${digits}`;
  if (zeros < countedZeros) return whole(plain);
  return { lead: "0.0", zeros, digits, plain };
}

/** A price as one line of text with subscript digits, for the chart's canvas: `0.0₅4848`. */
export function formatPrice(value: number): string {
  const { lead, zeros, digits } = toPriceParts(value);
  if (zeros === null) return lead;
  const count = [...String(zeros)].map((digit) => subscripts[Number(digit)]).join("");
  return `${lead}${count}${digits}`;
}
