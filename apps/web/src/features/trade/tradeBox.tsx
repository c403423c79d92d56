import type { TokenDetail } from "@slipway/protocol/indexed";
import { type ReactNode, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { SignInDialog } from "../../session/lazySignInDialog.ts";
import { useConnection, useServices, useSession } from "../../session/services.tsx";
import { useRefreshBalances } from "../../session/useBalances.ts";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { useNetwork } from "../../session/useNetwork.ts";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { Figures } from "./figures.ts";
import { Shortage } from "./shortage.tsx";
import { getLabel } from "./tradeBoxState.ts";
import { TradeFields } from "./tradeFields.tsx";
import { createTradeFlow } from "./tradeFlow.ts";
import { UnderWay, Undone, useUndoneTrade } from "./tradeNotices.tsx";
import type { TradeOrder } from "./tradeOrder.ts";
import { useReviewAfterSignIn } from "./useReviewAfterSignIn.ts";
import { useTradeForm } from "./useTradeForm.ts";

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

/** Buys and sells one token. */
export function TradeBox({ token, isPaused = false, side, onSide, isShown = true, renderGasHelp }: TradeBoxProps) {
  const { trade: text } = useMessages();
  const services = useServices();
  const { status } = useConnection();
  const { status: sessionStatus } = useSession();
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

  const form = useTradeForm({ token, side, isPaused, isUsed: isShown && shown === null });
  const { order, figures, quoted, use } = form;
  const network = useNetwork();

  const openReview = () => {
    if (order === null || figures === null) return;
    running.clear();
    setFrozen({ order, figures });
    setShown("review");
  };
  const reviewAfterSignIn = useReviewAfterSignIn(
    {
      order,
      isReady: form.isAsked && network === "right" && quoted.isReady,
      isRefused:
        isPaused || !isShown || network === "wrong_chain" || network === "other_network" || quoted.error !== null,
    },
    openReview,
  );
  const press = () => {
    if (sessionStatus !== "signed_out") return openReview();
    reviewAfterSignIn.begin();
    setShown("sign_in");
  };
  const close = () => {
    setShown(null);
    refreshBalances();
    if (isDone) {
      running.clear();
      form.setTyped("");
    }
  };
  return (
    <section aria-label={text.title} className="panel flex flex-col gap-4 p-4">
      <TradeFields
        token={token}
        side={side}
        form={form}
        onSide={onSide}
        onSubmit={() => {
          if (network === "right" && !use.disabled && !use.busy) press();
        }}
      />
      {isPaused ? <Notice tone="warning">{text.paused}</Notice> : null}
      <Undone hash={undone} />
      {order === null ? null : (
        <Shortage
          order={order}
          token={token}
          balances={form.balances}
          renderGasHelp={renderGasHelp}
          error={quoted.error}
          onUseAll={form.setTyped}
          onPayNative={() => form.setAsset("native")}
          onRetry={() => {
            refreshBalances();
            quoted.refresh();
          }}
        />
      )}
      {running.flow !== null && shown === null ? <UnderWay isDone={isDone} onShow={() => setShown("review")} /> : null}
      <ActionButton variant={side} {...use} onClick={press}>
        {getLabel(text, side, token.symbol, status === "connected" && form.isEmpty, sessionStatus !== "signed_out")}
      </ActionButton>
      {shown === "sign_in" ? (
        <SignInDialog
          onClose={() => setShown(null)}
          onDone={() => {
            reviewAfterSignIn.end();
            setShown(null);
          }}
        />
      ) : null}
      {shown === "review" && frozen !== null ? (
        <TradeReview
          order={frozen.order}
          figures={frozen.figures}
          token={token}
          running={running}
          createDefinition={createDefinition}
          onClose={close}
        />
      ) : null}
    </section>
  );
}
