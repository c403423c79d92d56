import { createNumberFormat } from "./formats.ts";
import { withDecimalSign } from "./locale.ts";

/** The parts of a price: `lead`, `digits`, and the number of zeros between them if there are more than three. */
export type PriceParts = { lead: string; zeros: number | null; digits: string; plain: string };

const significant = 4;
const countedZeros = 4;
const grouped = createNumberFormat({ maximumFractionDigits: 0 });
const subscripts = "₀₁₂₃₄₅₆₇₈₉";

/**
 * Splits a price into parts, with four significant digits; keeps trailing zeros, so that columns align. More than three
 * zeros after the point become a count. A price from 1 has two decimals, from 1,000 none.
 *
 * @param value - A price in any currency, not negative.
 */
export function toPriceParts(value: number): PriceParts {
  const whole = (text: string): PriceParts => ({ lead: text, zeros: null, digits: "", plain: text });
  if (!Number.isFinite(value) || value < 0) return whole("—");
  if (value === 0) return whole(withDecimalSign("0.00"));
  // Rounds before the branches: 0.99999 is 1.00, and 999.999 is 1,000.
  const [mantissa, power] = value.toExponential(significant - 1).split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= 3)
    return Number(value.toFixed(2)) < 1_000 ? whole(withDecimalSign(value.toFixed(2))) : whole(grouped(value));
  if (exponent >= 0)
    return Number(value.toFixed(2)) >= 1_000 ? whole(grouped(value)) : whole(withDecimalSign(value.toFixed(2)));
  const zeros = -exponent - 1;
  const digits = mantissa.replace(".", "");
  const plain = `0.${"0".repeat(zeros)}${digits}`;
  if (zeros < countedZeros) return whole(withDecimalSign(plain));
  return { lead: withDecimalSign("0.0"), zeros, digits, plain: withDecimalSign(plain) };
}

/** Formats a price as one line with subscript digits, for the chart's canvas: `0.0₅4848`. */
export function formatPrice(value: number): string {
  const { lead, zeros, digits } = toPriceParts(value);
  if (zeros === null) return lead;
  const count = [...String(zeros)].map((digit) => subscripts[Number(digit)]).join("");
  return `${lead}${count}${digits}`;
}
