import { formatAmount, toExactAmount } from "../format/amount.ts";
import { toDisplayText } from "../format/displayText.ts";
import { unknown } from "../format/figures.ts";

type AmountProps = {
  /** In the asset's smallest unit; a string is the API's form. */
  value: bigint | string | null;
  decimals: number;
  symbol?: string;
  className?: string;
};

/** An amount of an asset, rounded down; its title has every digit. */
export function Amount({ value, decimals, symbol, className = "" }: AmountProps) {
  if (value === null) return <span className={className}>{unknown}</span>;
  const amount = BigInt(value);
  const unit = symbol === undefined ? "" : ` ${toDisplayText(symbol)}`;
  return (
    <span className={`whitespace-nowrap ${className}`} title={`${toExactAmount(amount, decimals)}${unit}`}>
      {formatAmount(amount, decimals)}
      {unit}
    </span>
  );
}
