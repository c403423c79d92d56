import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import type { Quote } from "@slipway/protocol/transaction";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createLazyClient";
import { queryOptions } from "@tanstack/react-query";
import { type TradeOrder, toRequest } from "./tradeOrder.ts";

/** The shown part of a response. A quote for a wallet that can't pay has no network cost. */
export type ShownQuote = (Quote | TradeCallsResult["quote"]) & { fees?: TradeCallsResult["fees"] };

/** A quote; with a shortage, the wallet can't pay for the trade. */
export type QuoteAnswer = { quote: ShownQuote | null; shortage: ApiError | null };

/** The API client, and a callback for an ended session. */
export type QuoteParts = { api: Pick<Client, "prepareTradeCalls" | "quoteTrade">; onSignedOut: () => void };

/** The pause after the last keystroke before the first request for an order. */
const restMs = 400;
const refreshMs = 15_000;

/**
 * Query options for the quote of an order. A change of the order aborts the request of the old order. A quote is not
 * kept after its order: a user who returns to an earlier amount sees a new quote.
 */
export function quoteOptions({ api, onSignedOut }: QuoteParts, order: TradeOrder | null) {
  return queryOptions({
    queryKey: ["prepareTradeCalls", order] as const,
    queryFn: async ({ client, queryKey, signal }): Promise<QuoteAnswer> => {
      if (order === null) return { quote: null, shortage: null };
      const shown = client.getQueryData<QuoteAnswer>(queryKey);
      if (shown === undefined) await rest(restMs, signal);
      try {
        const { quote, fees } = await api.prepareTradeCalls(toRequest(order), { signal });
        return { quote: { ...quote, fees }, shortage: null };
      } catch (error) {
        if (error instanceof ApiError && error.status === 401 && !signal.aborted) onSignedOut();
        if (!(error instanceof ApiError) || error.code !== "insufficient_balance") throw error;
        const quote = await readPlainQuote(api, order, signal);
        return { quote: quote ?? shown?.quote ?? null, shortage: error };
      }
    },
    refetchInterval: refreshMs,
    refetchOnWindowFocus: "always",
    staleTime: 0,
    gcTime: 0,
  });
}

/** Reads a quote for a wallet without the balance. */
async function readPlainQuote(api: QuoteParts["api"], order: TradeOrder, signal: AbortSignal): Promise<Quote | null> {
  const { token, wallet, side, amount, slippageBps } = order;
  const request = { token, wallet, side, amount_in: amount, slippage_bps: slippageBps };
  return await api.quoteTrade(request, { signal }).catch(() => null);
}

/** Waits. @throws the signal's reason if the signal aborts */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
