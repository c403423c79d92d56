import { useQuery } from "@tanstack/react-query";
import { type Answer, readOptions } from "../../data/queries.ts";
import type { TradeOrder } from "./tradeOrder.ts";

/** Milliseconds between reads until the service shows the trade, which takes about a second. */
const waitMs = 1_000;

/**
 * Returns the received amount of a confirmed trade in base units, as the pool paid it; null until it is indexed.
 *
 * @param hash - The trade's transaction; null before the trade is confirmed.
 */
export function useReceivedAmount({ token, side }: TradeOrder, hash: string | null): bigint | null {
  const find = (trades: Answer<"listTokenTrades"> | undefined) => trades?.items.find(({ tx_hash }) => tx_hash === hash);
  const { data } = useQuery({
    ...readOptions("listTokenTrades", { address: token.toLowerCase(), limit: 50 }),
    enabled: hash !== null,
    refetchInterval: ({ state }) => (find(state.data) === undefined ? waitMs : false),
  });
  const trade = hash === null ? undefined : find(data);
  if (trade === undefined) return null;
  return BigInt(side === "buy" ? trade.token_amount : trade.quote_amount);
}
