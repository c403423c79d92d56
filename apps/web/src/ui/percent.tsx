import { formatPercent, unknown } from "../format/figures.ts";
import { Icon } from "./icon.tsx";

/** A change in percent: sign, arrow and colour have the same meaning. */
export function Percent({ value, className = "" }: { value: number | null; className?: string }) {
  if (value === null) return <span className={`text-muted ${className}`}>{unknown}</span>;
  const shown = formatPercent(value);
  const tone = shown.startsWith("+") ? "text-buy" : shown.startsWith("−") ? "text-sell" : "text-muted";
  return (
    <span className={`inline-flex items-center gap-0.5 whitespace-nowrap ${tone} ${className}`}>
      {tone === "text-muted" ? null : <Icon name={tone === "text-buy" ? "arrowUp" : "arrowDown"} size={12} />}
      {shown}
    </span>
  );
}
