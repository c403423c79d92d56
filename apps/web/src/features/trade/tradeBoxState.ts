import type { TokenDetail } from "@slipway/protocol/indexed";
import { parseAmount } from "../../format/amount.ts";
import type { Messages } from "../../messages/messages.ts";
import type { Balances } from "../../session/useBalances.ts";
import type { estimateSwap } from "./estimateSwap.ts";
import type { TradeOrder } from "./tradeOrder.ts";
import type { QuoteState } from "./useQuote.ts";

export const decimals = 18;

type Typed = Pick<TradeOrder, "token" | "side" | "asset"> & {
  wallet: string | null;
  amount: bigint | null;
  slippageBps: number | null;
};

/** Returns the order; null while it is incomplete. */
export function toOrder({ wallet, amount, slippageBps, ...rest }: Typed): TradeOrder | null {
  if (wallet === null || amount === null || amount === 0n || slippageBps === null) return null;
  return { ...rest, wallet, amount: amount.toString(), slippageBps };
}

type Texts = Messages["trade"];

/** Returns the text of the button. */
export function getLabel(
  text: Texts,
  side: "buy" | "sell",
  symbol: string,
  isEmpty: boolean,
  isSignedIn: boolean,
): string {
  if (isEmpty) return text.enterAmount;
  return isSignedIn ? text.review(side, symbol) : text.signInToReview;
}

/**
 * Returns the button's state. While a quote is loading, the button is busy and not disabled, so that it keeps the
 * keyboard focus.
 */
export function toUse(
  isPossible: boolean,
  isSignedIn: boolean,
  { isReady, error }: QuoteState,
): { disabled?: boolean; busy?: boolean } {
  if (!isPossible) return { disabled: true };
  const isMissing = isSignedIn && !isReady;
  return { disabled: isMissing && error !== null, busy: isMissing && error === null };
}

type TypedAmount = {
  typed: string;
  estimated: ReturnType<typeof estimateSwap>;
  quoted: QuoteState;
  /** Whether a quote is requested. */
  isAsked: boolean;
};

/** Returns why an amount cannot be traded; null if it can. */
export function findFault(text: Texts, { typed, estimated, quoted, isAsked }: TypedAmount): string | null {
  if (typed !== "" && parseAmount(typed, decimals) === null) return text.amountError;
  const isAnswered = isAsked || quoted.quote !== null || quoted.error !== null;
  return estimated === "too_thin" && !isAnswered ? text.tooThin : null;
}

/** Returns the balance of the paid asset; null while unknown. */
export function getBalance(
  balances: Balances,
  side: "buy" | "sell",
  asset: TradeOrder["asset"],
  token: TokenDetail,
): bigint | null {
  if (side === "buy" && asset === "native") return balances.native;
  const paid = side === "sell" ? token.address : (token.quote_token ?? "");
  return balances.tokens.get(paid.toLowerCase()) ?? null;
}
