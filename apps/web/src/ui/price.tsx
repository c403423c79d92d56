import { toDisplayText } from "../format/displayText.ts";
import { unknown } from "../format/figures.ts";
import { toPriceParts } from "../format/price.ts";

type PriceProps = {
  value: number | null;
  /** `usd`, `eth`, or the symbol of the quote asset; empty if the symbol stands elsewhere. */
  quote?: "usd" | "eth" | (string & {});
  className?: string;
};

/** A price with a count of its zeros. Its title, copied text and screen reader text contain all zeros. */
export function Price({ value, quote = "usd", className = "" }: PriceProps) {
  if (value === null) return <span className={className}>{unknown}</span>;
  const { lead, zeros, digits, plain } = toPriceParts(value);
  const [before, after] =
    quote === "usd" ? ["$", ""] : ["", quote === "eth" ? " ETH" : quote === "" ? "" : ` ${toDisplayText(quote)}`];
  if (zeros === null) return <span className={`whitespace-nowrap ${className}`}>{`${before}${lead}${after}`}</span>;
  return (
    <span className={`whitespace-nowrap ${className}`} title={`${before}${plain}${after}`}>
      <span aria-hidden="true" className="select-none">
        {before}
        {lead}
        <sub className="text-[0.7em]">{zeros}</sub>
        {digits}
        {after}
      </span>
      <span className="sr-only">{`${before}${plain}${after}`}</span>
    </span>
  );
}
