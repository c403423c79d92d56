import { useMessages } from "../messages/useMessages.ts";

type QuoteBarProps = {
  /** A new value restarts the bar, e.g. the arrival time of a quote. */
  quoteKey: string | number;
  /** Seconds for which the quote is valid from its arrival. */
  seconds: number;
};

/** The remaining time of a quote. Decorative: the page rejects expired quotes, not this bar. */
export function QuoteBar({ quoteKey, seconds }: QuoteBarProps) {
  const { ui } = useMessages();
  return (
    <div role="img" aria-label={ui.expiresIn} className="h-1 overflow-hidden rounded-full bg-line">
      <div
        key={quoteKey}
        className="h-full origin-left animate-elapse bg-accent rtl:origin-right"
        style={{ animationDuration: `${seconds}s` }}
      />
    </div>
  );
}
