import type { IndexedCandle, IndexedTrade } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { accountTradePages } from "../../data/tokenQueries.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import type { ChartMark } from "../../ui/chartOverlays.ts";
import { findCandle } from "./shownCandles.ts";

/** Returns the newest trades of an account, the same array until they change; empty without an account. */
function useAccountTrades(token: string, account: string | null): readonly IndexedTrade[] {
  const options = accountTradePages(token, account ?? "");
  const { data } = useInfiniteQuery({ ...options, enabled: account !== null });
  useLiveRefetch(options.queryKey, account === null ? null : token);
  return useMemo(() => (account === null ? [] : (data?.pages.flatMap(({ items }) => items) ?? [])), [account, data]);
}

/**
 * Returns the marks of an account's trades at the candles that contain them, one for each candle and side; the same array
 * until they change.
 *
 * @param account - Null marks nothing.
 */
export function useTradeMarks(
  token: string,
  account: string | null,
  text: string,
  candles: readonly IndexedCandle[],
): ChartMark[] {
  const trades = useAccountTrades(token, account);
  return useMemo(() => {
    const marks = new Map<string, ChartMark>();
    for (const { side, block_timestamp } of trades) {
      const candle = candles[findCandle(candles, Date.parse(block_timestamp) / 1_000)];
      if (candle === undefined) continue;
      const { t, l, h } = candle;
      const isBuy = side === "buy";
      marks.set(`${t}${side}`, {
        t,
        price: isBuy ? l : h,
        place: isBuy ? "below" : "above",
        shape: "arrow",
        color: side,
        text,
      });
    }
    return [...marks.values()];
  }, [trades, text, candles]);
}
