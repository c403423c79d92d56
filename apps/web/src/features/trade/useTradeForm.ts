import type { TokenDetail } from "@slipway/protocol/indexed";
import { useState } from "react";
import { parseAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useConnection, useSession } from "../../session/services.tsx";
import { useBalances } from "../../session/useBalances.ts";
import { estimateSwap } from "./estimateSwap.ts";
import { toFigures } from "./figures.ts";
import { useSlippage } from "./slippageDetails.tsx";
import { decimals, findFault, getBalance, toOrder, toUse } from "./tradeBoxState.ts";
import type { TradeOrder } from "./tradeOrder.ts";
import { useQuote } from "./useQuote.ts";

/** Keeps the typed amount. It belongs to one side: the other side starts empty. */
function useTypedAmount(side: TradeOrder["side"]): [typed: string, setTyped: (next: string) => void] {
  const [{ typed, of }, setAmount] = useState({ typed: "", of: side });
  if (of !== side) setAmount({ typed: "", of: side });
  return [typed, (next) => setAmount({ typed: next, of: side })];
}

type TradeFormOptions = {
  token: TokenDetail;
  side: TradeOrder["side"];
  /** Live data is not current: trading is disabled. */
  isPaused: boolean;
  /** Whether the form is visible and without a dialog in front of it; only then it requests quotes. */
  isUsed: boolean;
};

/** The state of the trade box's form: the inputs, the order that they make, its quote and the balances. */
export function useTradeForm({ token, side, isPaused, isUsed }: TradeFormOptions) {
  const { trade: text } = useMessages();
  const { address } = useConnection();
  const { status: sessionStatus } = useSession();
  const [asset, setAsset] = useState<TradeOrder["asset"]>("native");
  const [typed, setTyped] = useTypedAmount(side);
  const [slippageBps, chooseSlippage] = useSlippage();
  const amount = parseAmount(typed, decimals);
  const nativeSymbol = asset === "native" ? text.native : text.wrapped;
  const [assetIn, assetOut] = side === "buy" ? [nativeSymbol, token.symbol] : [token.symbol, nativeSymbol];
  const balances = useBalances([token.address, token.quote_token ?? ""]);
  const order = toOrder({ token: token.address, wallet: address, side, asset, amount, slippageBps });
  const isAsked = sessionStatus === "signed_in" && !isPaused && isUsed;
  const quoted = useQuote(order, isAsked);
  const estimated = estimateSwap(token, side, amount ?? 0n);
  const estimate = estimated === "too_thin" ? null : estimated;
  return {
    asset,
    setAsset,
    typed,
    setTyped,
    slippageBps,
    chooseSlippage,
    isEmpty: !amount,
    assetIn,
    assetOut,
    balances,
    balance: getBalance(balances, side, asset, token),
    order,
    quoted,
    isAsked,
    figures: amount === null ? null : toFigures(amount, quoted.quote, estimate, slippageBps ?? 100),
    isEstimate: quoted.quote === null && estimate !== null,
    fault: findFault(text, { typed, estimated, quoted, isAsked: isAsked && order !== null }),
    use: toUse(order !== null && !isPaused, sessionStatus !== "signed_out", quoted),
  };
}
