import { toDisplayText } from "../format/displayText.ts";
import { formatShare } from "../format/figures.ts";
import { useMessages } from "../messages/useMessages.ts";

export type SplitPart = { key: string; label: string; bps: number };

const whole = 10_000;
const fills = ["fill-accent", "fill-split-2", "fill-split-3", "fill-control", "fill-muted", "fill-ink"];

type SplitBarProps = { parts: readonly SplitPart[]; label: string; className?: string };

/** The parts of a whole in basis points: a bar that is full at 100%. The names of the parts stand below the bar. */
export function SplitBar({ parts, label, className = "" }: SplitBarProps) {
  const { ui } = useMessages();
  const named = parts.map((part) => ui.splitPart(toDisplayText(part.label), formatShare(part.bps))).join(", ");
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { bps }) => sum + bps, 0));
  return (
    <svg
      role="img"
      aria-label={`${label}: ${named}`}
      viewBox={`0 0 ${whole} 100`}
      preserveAspectRatio="none"
      className={`h-3 w-full overflow-hidden rounded-full bg-line ${className}`}
    >
      {parts.map((part, index) => (
        <rect
          key={part.key}
          x={starts[index]}
          y={0}
          // A gap between two parts, small enough that the smallest part stays visible.
          width={part.bps - (index < parts.length - 1 ? Math.min(40, part.bps / 2) : 0)}
          height={100}
          className={fills[index % fills.length]}
        />
      ))}
    </svg>
  );
}
