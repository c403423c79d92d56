import { formatAmount, parseAmount } from "../../format/amount.ts";
import { getSigns } from "../../format/locale.ts";

/** Formats an amount like `formatAmount`, and ends it with `…` if digits are missing: `5,215,902…`. */
export function shortenAmount(value: bigint, decimals: number): string {
  const shown = formatAmount(value, decimals);
  return parseAmount(shown.replaceAll(getSigns().group, ""), decimals) === value ? shown : `${shown}…`;
}
