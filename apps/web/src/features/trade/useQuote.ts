import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../session/services.tsx";
import { quoteOptions, type ShownQuote } from "./quoteQuery.ts";
import type { TradeOrder } from "./tradeOrder.ts";

export type QuoteState = {
  quote: ShownQuote | null;
  /** The arrival time in milliseconds; a new value restarts the bar. */
  arrivedAt: number;
  /** Whether the wallet can send the trade now; otherwise `error` has the reason. */
  isReady: boolean;
  error: unknown;
  isLoading: boolean;
};

/**
 * Returns the quote of an order, refreshed while the page is visible.
 *
 * @param isEnabled - False pauses requests and keeps the shown quote.
 */
export function useQuote(order: TradeOrder | null, isEnabled: boolean): QuoteState & { refresh(): void } {
  const { api, session } = useServices();
  const canAsk = order !== null && isEnabled;
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    ...quoteOptions({ api, onSignedOut: session.lost }, order),
    enabled: () => canAsk && !document.hidden,
  });
  const quote = error === null ? (data?.quote ?? null) : null;
  const shortage = data?.shortage ?? null;
  return {
    quote,
    arrivedAt: dataUpdatedAt,
    isReady: quote !== null && shortage === null,
    error: error ?? shortage,
    isLoading: isFetching,
    refresh: () => void refetch(),
  };
}
