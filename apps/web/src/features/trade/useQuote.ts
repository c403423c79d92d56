import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import type { Quote } from "@slipway/protocol/transaction";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createLeanClient";
import { useEffect, useState } from "react";
import { type TradeOrder, toRequest } from "./tradeOrder.ts";

/** What of an answer is shown. A quote without a transaction has no prices and no network cost. */
export type ShownQuote = (Quote | TradeCallsResult["quote"]) & { fees?: TradeCallsResult["fees"] };

export type QuoteState = {
  quote: ShownQuote | null;
  /** Milliseconds of the page's clock at which it arrived; restarts the bar. */
  arrivedAt: number;
  /** Whether the wallet can do it now; else `error` says what is missing. */
  isReady: boolean;
  error: unknown;
  isLoading: boolean;
};

const none: QuoteState = { quote: null, arrivedAt: 0, isReady: false, error: null, isLoading: false };
/** A person types: the last amount counts. */
const restMs = 400;
const refreshMs = 15_000;

/**
 * The quote of an order, asked for after the person has rested, and again while the page is visible. An older request is
 * aborted by the next.
 *
 * @param asks - False while nothing is to be asked: what is shown stays.
 */
export function useQuote(
  api: Client,
  order: TradeOrder | null,
  asks: boolean,
  onSignedOut: () => void,
): QuoteState & { refresh(): void } {
  const [state, setState] = useState(none);
  const [round, setRound] = useState(0);
  const key = order === null ? null : JSON.stringify(order);

  // A quote of another order is not shown beside the new amount.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is what changes it
  useEffect(() => setState(none), [key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the order by its content; a round repeats it
  useEffect(() => {
    if (order === null || !asks) return;
    const controller = new AbortController();
    const ask = async () => {
      setState((shown) => ({ ...shown, isLoading: true }));
      const next = await askQuote(api, order, controller.signal);
      if (controller.signal.aborted) return;
      if (next.error instanceof ApiError && next.error.status === 401) onSignedOut();
      setState((shown) => ({ ...next, quote: next.quote ?? (next.isLost ? null : shown.quote), isLoading: false }));
    };
    let timer = setTimeout(function again() {
      if (!document.hidden) void ask();
      timer = setTimeout(again, refreshMs);
    }, restMs);
    const show = () => {
      if (!document.hidden) void ask();
    };
    document.addEventListener("visibilitychange", show);
    return () => {
      clearTimeout(timer);
      controller.abort();
      document.removeEventListener("visibilitychange", show);
    };
  }, [api, key, asks, round]);

  return { ...state, refresh: () => setRound((value) => value + 1) };
}

type Asked = Omit<QuoteState, "isLoading"> & { isLost: boolean };

async function askQuote(api: Client, order: TradeOrder, signal: AbortSignal): Promise<Asked> {
  const arrived = () => performance.now();
  try {
    const { quote, fees } = await api.prepareTradeCalls(toRequest(order), { signal });
    return { quote: { ...quote, fees }, arrivedAt: arrived(), isReady: true, error: null, isLost: false };
  } catch (error) {
    const isShort = error instanceof ApiError && error.code === "insufficient_balance";
    // Who cannot pay still sees what it would cost.
    const quote = isShort ? await askPlainQuote(api, order, signal) : null;
    return { quote, arrivedAt: arrived(), isReady: false, error, isLost: !isShort };
  }
}

async function askPlainQuote(api: Client, order: TradeOrder, signal: AbortSignal): Promise<Quote | null> {
  const { token, wallet, side, amount, slippageBps } = order;
  const request = { token, wallet, side, amount_in: amount, slippage_bps: slippageBps };
  return await api.quoteTrade(request, { signal }).catch(() => null);
}
