import type { TokenDetail } from "@slipway/protocol/indexed";
import { type ReactNode, useState } from "react";
import { parseAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { SignInDialog } from "../../session/lazySignInDialog.ts";
import { useConnection, useServices, useSession } from "../../session/services.tsx";
import { useBalances, useRefreshBalances } from "../../session/useBalances.ts";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { useNetwork } from "../../session/useNetwork.ts";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Segments } from "../../ui/segments.tsx";
import { AmountForm } from "./amountForm.tsx";
import { estimateSwap } from "./estimateSwap.ts";
import { type Figures, noFigures, toFigures } from "./figures.ts";
import { QuickAmounts } from "./quickAmounts.tsx";
import { QuoteDetails } from "./quoteDetails.tsx";
import { Received } from "./received.tsx";
import { Shortage } from "./shortage.tsx";
import { SlippageDetails, useSlippage } from "./slippageDetails.tsx";
import { decimals, findFault, getBalance, getLabel, toOrder, toUse } from "./tradeBoxState.ts";
import { createTradeFlow } from "./tradeFlow.ts";
import { HighImpact, UnderWay, Undone, useUndoneTrade } from "./tradeNotices.tsx";
import type { TradeOrder } from "./tradeOrder.ts";
import { useQuote } from "./useQuote.ts";
import { useReviewAfterSignIn } from "./useReviewAfterSignIn.ts";

const TradeReview = lazyPart(
  () => import("./tradeReview.tsx"),
  (module) => module.TradeReview,
);

type TradeBoxProps = {
  token: TokenDetail;
  /** Live data is not current: trading is disabled. */
  isPaused?: boolean;
  side: "buy" | "sell";
  onSide: (side: "buy" | "sell") => void;
  /** Whether the box is visible. A hidden box requests no quotes. */
  isShown?: boolean;
  /** Renders the way to get native for this amount of gas; pages pass a top-up. */
  renderGasHelp?: (gasLimit: bigint, onDone: () => void) => ReactNode;
};

/** The order under review or in progress; without figures after a reload. */
type Frozen = { order: TradeOrder; figures: Figures | null };

/** Keeps the typed amount. It belongs to one side: the other side starts empty. */
function useTypedAmount(side: TradeOrder["side"]): [typed: string, setTyped: (next: string) => void] {
  const [{ typed, of }, setAmount] = useState({ typed: "", of: side });
  if (of !== side) setAmount({ typed: "", of: side });
  return [typed, (next) => setAmount({ typed: next, of: side })];
}

/** Buys and sells one token. */
export function TradeBox({ token, isPaused = false, side, onSide, isShown = true, renderGasHelp }: TradeBoxProps) {
  const { trade: text } = useMessages();
  const services = useServices();
  const { status, address } = useConnection();
  const { status: sessionStatus } = useSession();
  const [asset, setAsset] = useState<TradeOrder["asset"]>("native");
  const [typed, setTyped] = useTypedAmount(side);
  const [slippageBps, chooseSlippage] = useSlippage();
  const [frozen, setFrozen] = useState<Frozen | null>(null);
  const [shown, setShown] = useState<"review" | "sign_in" | null>(null);
  const running = useFlow();
  const isDone = running.state.phase === "done";
  const refreshBalances = useRefreshBalances();
  const undone = useUndoneTrade(running, () => {
    setShown(null);
    refreshBalances();
  });

  const createDefinition = (order: TradeOrder, getAccepted: () => bigint | null) =>
    createTradeFlow({ ...services, order, feeBps: token.fee_bps, getAccepted });
  useRestoredFlow(
    `trade:${token.address.toLowerCase()}`,
    ({ request }) => {
      const order = request as TradeOrder;
      setFrozen({ order, figures: null });
      onSide(order.side);
      return createDefinition(order, () => null);
    },
    running,
  );

  const amount = parseAmount(typed, decimals);
  const nativeSymbol = asset === "native" ? text.native : text.wrapped;
  const [assetIn, assetOut] = side === "buy" ? [nativeSymbol, token.symbol] : [token.symbol, nativeSymbol];
  const balances = useBalances([token.address, token.quote_token ?? ""]);
  const balance = getBalance(balances, side, asset, token);
  const order = toOrder({ token: token.address, wallet: address, side, asset, amount, slippageBps });
  const asks = sessionStatus === "signed_in" && !isPaused && isShown && shown === null;
  const quoted = useQuote(order, asks);
  const estimated = estimateSwap(token, side, amount ?? 0n);
  const estimate = estimated === "too_thin" ? null : estimated;
  const figures = amount === null ? null : toFigures(amount, quoted.quote, estimate, slippageBps ?? 100);
  const isEstimate = quoted.quote === null && estimate !== null;
  const use = toUse(order !== null && !isPaused, sessionStatus !== "signed_out", quoted);
  const network = useNetwork();

  const openReview = () => {
    if (order === null || figures === null) return;
    running.clear();
    setFrozen({ order, figures });
    setShown("review");
  };
  const press = () => (sessionStatus === "signed_out" ? setShown("sign_in") : openReview());
  const awaitReview = useReviewAfterSignIn(
    {
      order,
      isReady: asks && network === "right" && quoted.isReady,
      isRefused:
        isPaused || !isShown || network === "wrong_chain" || network === "other_network" || quoted.error !== null,
    },
    openReview,
  );
  const close = () => {
    setShown(null);
    refreshBalances();
    if (isDone) {
      running.clear();
      setTyped("");
    }
  };
  return (
    <section aria-label={text.title} className="panel flex flex-col gap-4 p-4">
      <SideChoice value={side} onChange={onSide} />
      <AmountForm
        side={side}
        asset={asset}
        typed={typed}
        balance={balance}
        symbol={assetIn}
        error={findFault(text, { typed, estimated, quoted, isAsked: asks && order !== null })}
        onChange={setTyped}
        onSubmit={() => {
          if (network === "right" && !use.disabled && !use.busy) press();
        }}
      />
      <QuickAmounts side={side} decimals={decimals} balance={balance} symbol={assetIn} onChoose={setTyped} />
      <Segments
        label={side === "buy" ? text.payWith : text.receiveAs}
        value={asset}
        items={[
          { value: "native", label: side === "buy" ? text.withNative : text.asNative },
          { value: "wrapped", label: side === "buy" ? text.withWrapped : text.asWrapped },
        ]}
        onChange={setAsset}
      />
      <Received {...{ quoted, assetOut }} amountOut={figures?.amountOut ?? null} isEstimate={isEstimate} />
      <QuoteDetails
        side={side}
        assetIn={assetIn}
        assetOut={assetOut}
        figures={figures ?? noFigures}
        symbol={token.symbol}
        policy={token.fee_policy}
      />
      <HighImpact bps={figures?.impactBps ?? null} />
      <SlippageDetails value={slippageBps} onChange={chooseSlippage} />
      {isPaused ? <Notice tone="warning">{text.paused}</Notice> : null}
      <Undone hash={undone} />
      {order === null ? null : (
        <Shortage
          {...{ order, token, balances, renderGasHelp }}
          error={quoted.error}
          onUseAll={setTyped}
          onPayNative={() => setAsset("native")}
          onRetry={() => {
            refreshBalances();
            quoted.refresh();
          }}
        />
      )}
      {running.flow !== null && shown === null ? <UnderWay isDone={isDone} onShow={() => setShown("review")} /> : null}
      <ActionButton variant={side} {...use} onClick={press}>
        {getLabel(text, side, token.symbol, status === "connected" && !amount, sessionStatus !== "signed_out")}
      </ActionButton>
      {shown === "sign_in" ? (
        <SignInDialog
          onClose={() => setShown(null)}
          onDone={() => {
            awaitReview();
            setShown(null);
          }}
        />
      ) : null}
      {shown === "review" && frozen !== null ? (
        <TradeReview {...{ ...frozen, token, running, createDefinition }} onClose={close} />
      ) : null}
    </section>
  );
}

function SideChoice({ value, onChange }: { value: TradeOrder["side"]; onChange: (side: TradeOrder["side"]) => void }) {
  const { trade: text } = useMessages();
  const items = [
    { value: "buy", label: text.buy },
    { value: "sell", label: text.sell },
  ] as const;
  return <Segments label={text.side} {...{ value, items, onChange }} />;
}
