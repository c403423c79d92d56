import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import { QuoteBar } from "../../ui/quoteBar.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { QuoteState } from "./useQuote.ts";

/** Seconds that the page accepts a quote after its arrival, because the quote's own expiry uses the chain's clock. */
const quoteSeconds = 55;
const decimals = 18;

type ReceivedProps = { quoted: QuoteState; amountOut: bigint | null; assetOut: string; isEstimate: boolean };

/** The received amount, and how long its quote remains valid. */
export function Received({ quoted, amountOut, assetOut, isEstimate }: ReceivedProps) {
  const { trade: text } = useMessages();
  const { quote, arrivedAt, isLoading } = quoted;
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-baseline justify-between gap-2 text-sm font-semibold">
        {text.receive}
        {isEstimate ? (
          <span title={text.estimateHint} className="rounded-sm bg-sunken px-1.5 text-xs text-muted">
            {text.estimate}
          </span>
        ) : null}
      </p>
      <div aria-live="polite" className="min-h-8 truncate text-xl font-bold">
        {isLoading && quote === null && !isEstimate ? (
          <Skeleton className="h-7 w-40" />
        ) : (
          <Amount value={amountOut} decimals={decimals} symbol={assetOut} />
        )}
      </div>
      {quote === null ? <div className="h-1" /> : <QuoteBar quoteKey={arrivedAt} seconds={quoteSeconds} />}
    </div>
  );
}
