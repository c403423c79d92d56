import { useMessages } from "../messages/useMessages.ts";

type QuoteBarProps = {
  /** Another value starts the bar again, e.g. the time at which the quote arrived. */
  quoteKey: string | number;
  /** How long the quote is good for, from its arrival. */
  seconds: number;
};

/** The time that a quote has left. It is a decoration: what is old is refused by the page, not by a bar. */
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
