import { useEffect, useRef } from "react";
import type { TradeOrder } from "./tradeOrder.ts";

type Current = {
  order: TradeOrder | null;
  /** The review can open: the order has a quote, and the wallet can send the trade. */
  isReady: boolean;
  /** The order has no quote, or the wallet cannot send the trade. */
  isRefused: boolean;
};

/**
 * Opens the review of the order for which the user signed in, as soon as its quote has arrived. A changed order or a
 * refused quote ends the wait: the user then reads the trade box first.
 *
 * @returns a function that begins the wait, for the end of the sign-in
 */
export function useReviewAfterSignIn({ order, isReady, isRefused }: Current, openReview: () => void): () => void {
  const awaited = useRef<string | null>(null);
  const current = JSON.stringify(order);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `openReview` changes with each render
  useEffect(() => {
    if (awaited.current === null) return;
    const isSame = awaited.current === current;
    if (isSame && !isReady && !isRefused) return;
    awaited.current = null;
    if (isSame && isReady) openReview();
  }, [current, isReady, isRefused]);
  return () => {
    awaited.current = order === null ? null : current;
  };
}
