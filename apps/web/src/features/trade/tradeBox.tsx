import type { TokenDetail } from "@slipway/protocol/indexed";
import { type ReactNode, useRef, useState } from "react";
import { parseAmount } from "../../format/amount.ts";
import { formatShare } from "../../format/figures.ts";
import { useLiveMessages } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { TransactionLink } from "../../session/flowSteps.tsx";
import { SignInDialog } from "../../session/lazySignInDialog.ts";
import { useConnection, useServices, useSession } from "../../session/services.tsx";
import { type Balances, useBalances, useRefreshBalances } from "../../session/useBalances.ts";
import { type RunningFlow, useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { useNetwork } from "../../session/useNetwork.ts";
import { Button } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Segments } from "../../ui/segments.tsx";
import { AmountForm } from "./amountForm.tsx";
import { estimateSwap } from "./estimateSwap.ts";
import { type Figures, noFigures, toFigures } from "./figures.ts";
import { QuickAmounts } from "./quickAmounts.tsx";
import { formatImpact, QuoteDetails } from "./quoteDetails.tsx";
import { Received } from "./received.tsx";
import { Shortage } from "./shortage.tsx";
import { loadSlippage, saveSlippage } from "./slippageChoice.ts";
import { SlippageField } from "./slippageField.tsx";
import { createTradeFlow } from "./tradeFlow.ts";
import { needsConfirmation, type TradeOrder } from "./tradeOrder.ts";
import { type QuoteState, useQuote } from "./useQuote.ts";
import { useReviewAfterSignIn } from "./useReviewAfterSignIn.ts";

const TradeReview = lazyPart(
  () => import("./tradeReview.tsx"),
  (module) => module.TradeReview,
);
const decimals = 18;

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

/** The warning of a price impact that the review asks to confirm. */
function HighImpact({ bps }: { bps: number | null }) {
  const { trade: text } = useMessages();
  if (bps === null || !needsConfirmation(bps)) return null;
  return (
    <Notice live tone="error">
      {text.impactHigh(formatImpact(bps))}
    </Notice>
  );
}

function Undone({ hash }: { hash: string | null }) {
  const { trade: text } = useMessages();
  if (hash === null) return null;
  return (
    <Notice live tone="warning">
      {text.undone} <TransactionLink hash={hash} />
    </Notice>
  );
}

/** Returns the last trade of this page that a reorg removed, so that it no longer appears as done. */
function useUndoneTrade({ state, clear }: RunningFlow, onUndone: () => void): string | null {
  const own = useRef(new Set<string>());
  const [undone, setUndone] = useState<string | null>(null);
  const last = state.phase === "done" ? state.steps.findLast(({ status }) => status === "confirmed")?.hash : null;
  if (last) own.current.add(last);
  useLiveMessages((message) => {
    if (message.type !== "retracted") return;
    const hash = [...own.current].find((one) => message.data.trades.some((id) => id.startsWith(one)));
    if (hash === undefined) return;
    own.current.delete(hash);
    setUndone(hash);
    clear();
    onUndone();
  });
  return undone;
}

type Typed = Pick<TradeOrder, "token" | "side" | "asset"> & {
  wallet: string | null;
  amount: bigint | null;
  slippageBps: number | null;
};

/** Returns the order; null while it is incomplete. */
function toOrder({ wallet, amount, slippageBps, ...rest }: Typed): TradeOrder | null {
  if (wallet === null || amount === null || amount === 0n || slippageBps === null) return null;
  return { ...rest, wallet, amount: amount.toString(), slippageBps };
}

/** Returns the slippage tolerance, which this browser remembers, and a function that changes it. */
function useSlippage(): [number | null, (bps: number | null) => void] {
  const [slippageBps, setSlippage] = useState<number | null>(() => loadSlippage(localStorage));
  const choose = (bps: number | null) => {
    setSlippage(bps);
    if (bps !== null) saveSlippage(localStorage, bps);
  };
  return [slippageBps, choose];
}

type Texts = ReturnType<typeof useMessages>["trade"];

function getLabel(text: Texts, side: "buy" | "sell", symbol: string, isEmpty: boolean, isSignedIn: boolean): string {
  if (isEmpty) return text.enterAmount;
  return isSignedIn ? text.review(side, symbol) : text.signInToReview;
}

/**
 * Returns the button's state. While a quote is loading, the button is busy and not disabled, so that it keeps the
 * keyboard focus.
 */
function toUse(
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
function findFault(text: Texts, { typed, estimated, quoted, isAsked }: TypedAmount): string | null {
  if (typed !== "" && parseAmount(typed, decimals) === null) return text.amountError;
  const isAnswered = isAsked || quoted.quote !== null || quoted.error !== null;
  return estimated === "too_thin" && !isAnswered ? text.tooThin : null;
}

type Side = TradeOrder["side"];

function SideChoice({ value, onChange }: { value: Side; onChange: (side: Side) => void }) {
  const { trade: text } = useMessages();
  const items = [
    { value: "buy", label: text.buy },
    { value: "sell", label: text.sell },
  ] as const;
  return <Segments label={text.side} {...{ value, items, onChange }} />;
}

/** A trade whose dialog is closed, or that an earlier visit started. */
function UnderWay({ isDone, onShow }: { isDone: boolean; onShow: () => void }) {
  const { trade: text } = useMessages();
  return (
    <Notice
      live
      tone={isDone ? "success" : "info"}
      actions={
        <Button size="sm" onClick={onShow}>
          {text.showSteps}
        </Button>
      }
    >
      {isDone ? text.isDone : text.underWay}
    </Notice>
  );
}

function SlippageDetails({ value, onChange }: { value: number | null; onChange: (bps: number | null) => void }) {
  const { trade: text } = useMessages();
  return (
    <details className="text-sm">
      <summary className="flex min-h-8 items-center justify-between gap-2 rounded-sm">
        <span className="text-muted">{text.slippage}</span>
        <span className="font-semibold">{value === null ? "—" : formatShare(value)}</span>
      </summary>
      <div className="pt-2">
        <SlippageField value={value ?? 100} onChange={onChange} />
      </div>
    </details>
  );
}

/** Returns the balance of the paid asset; null while unknown. */
function getBalance(
  balances: Balances,
  side: "buy" | "sell",
  asset: TradeOrder["asset"],
  token: TokenDetail,
): bigint | null {
  if (side === "buy" && asset === "native") return balances.native;
  const paid = side === "sell" ? token.address : (token.quote_token ?? "");
  return balances.tokens.get(paid.toLowerCase()) ?? null;
}
