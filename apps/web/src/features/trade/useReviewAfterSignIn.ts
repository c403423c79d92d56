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
 * Opens the review of the order for which the user signed in, as soon as its quote has arrived. A changed order, another
 * account or a refused quote ends the wait: the user then reads the trade box first.
 *
 * @returns `begin` for the press that asks for the sign-in, and `end` for the end of the sign-in
 */
export function useReviewAfterSignIn({ order, isReady, isRefused }: Current, openReview: () => void) {
  const asked = useRef<string | null>(null);
  const awaited = useRef<string | null>(null);
  const current = order === null ? null : JSON.stringify(order);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `openReview` changes with each render
  useEffect(() => {
    if (awaited.current === null) return;
    const isSame = awaited.current === current;
    if (isSame && !isReady && !isRefused) return;
    awaited.current = null;
    if (isSame && isReady) openReview();
  }, [current, isReady, isRefused]);
  return {
    begin: () => {
      asked.current = current;
    },
    end: () => {
      // An order that is refused already does not change, so that the effect above would not end its wait.
      awaited.current = asked.current === current && !isRefused ? current : null;
    },
  };
}
