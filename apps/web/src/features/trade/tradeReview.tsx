import type { TokenDetail } from "@slipway/protocol/indexed";
import { useRef, useState } from "react";
import { getImageUrl } from "../../data/getImageUrl.ts";
import { formatAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { AddToWallet } from "../../session/addToWallet.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useServices } from "../../session/services.tsx";
import { SponsorNote } from "../../session/sponsorNote.tsx";
import type { RunningFlow } from "../../session/useFlow.ts";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import type { FlowDefinition } from "../../wallet/flowDefinition.ts";
import type { FlowState } from "../../wallet/flowState.ts";
import type { WatchedToken } from "../../wallet/watchAsset.ts";
import type { Figures } from "./figures.ts";
import { formatImpact, QuoteDetails } from "./quoteDetails.tsx";
import { shortenAmount } from "./shortenAmount.ts";
import { WorseQuote } from "./tradeFlow.ts";
import { getImpactLevel, needsConfirmation, type TradeOrder } from "./tradeOrder.ts";
import { useReceivedAmount } from "./useReceivedAmount.ts";

type TradeReviewProps = {
  order: TradeOrder;
  /** The figures at the start of the review; null after a reload, when only the steps remain. */
  figures: Figures | null;
  token: TokenDetail;
  running: RunningFlow;
  createDefinition: (order: TradeOrder, getAccepted: () => bigint | null) => FlowDefinition;
  onClose: () => void;
};

const decimals = 18;

/** The review of a trade with fixed figures, then its steps. */
export function TradeReview({ order, figures, token, running, createDefinition, onClose }: TradeReviewProps) {
  const { trade: text } = useMessages();
  const { permits } = useServices();
  const { side, asset, amount } = order;
  const { symbol } = token;
  const accepted = useRef(figures?.amountOut ?? null);
  const [isImpactAccepted, setImpactAccepted] = useState(false);
  const native = asset === "native" ? text.native : text.wrapped;
  const [assetIn, assetOut] = side === "buy" ? [native, symbol] : [symbol, native];
  const paid = shortenAmount(BigInt(amount), decimals);
  const sold = `${paid} ${assetIn}`;
  const { state, flow } = running;
  const needsImpact = figures !== null && needsConfirmation(figures.impactBps);
  const hash =
    state.phase === "done" ? (state.steps.findLast(({ status }) => status === "confirmed")?.hash ?? null) : null;
  const received = useReceivedAmount(order, hash);
  const begin = () => void running.start(createDefinition(order, () => accepted.current));
  const describe = (name: string) =>
    ({ approve: text.approveOnly(sold), permit: text.permitOnly(sold), swap: text.swapStep(side, symbol) })[name];

  return (
    <Sheet
      open
      onClose={onClose}
      title={text.reviewTitle(side, symbol)}
      description={flow === null ? text.reviewHint : undefined}
    >
      <div className="flex flex-col gap-4">
        <dl className="grid gap-x-4 gap-y-2 rounded-md bg-sunken p-3 sm:grid-cols-2">
          <Total label={text.pay} value={BigInt(amount)} symbol={assetIn} />
          <Total
            label={received === null ? text.receive : text.received}
            value={received ?? figures?.amountOut ?? null}
            symbol={assetOut}
          />
        </dl>
        {figures === null || flow !== null ? null : (
          <QuoteDetails figures={figures} side={side} symbol={symbol} assetIn={assetIn} assetOut={assetOut} />
        )}
        {flow === null ? (
          <>
            {needsImpact ? (
              <ImpactConfirmation bps={figures.impactBps ?? 0} symbol={symbol} onChange={setImpactAccepted} />
            ) : null}
            {side === "sell" && permits.areRefused() ? <Notice>{text.withoutPermit(sold)}</Notice> : null}
            {/* A buy with native is one transaction, which is never a batch. */}
            {side === "sell" || asset === "wrapped" ? <SponsorNote /> : null}
            <Button variant={side} size="lg" disabled={needsImpact && !isImpactAccepted} onClick={begin}>
              {text.confirm(side, paid, assetIn)}
            </Button>
          </>
        ) : (
          <FlowSteps
            state={state}
            flow={flow}
            describe={describe}
            coming={state.phase === "done" ? [] : [{ name: "swap", label: text.swapStep(side, symbol) }]}
            otherWay={
              isPermitRefused(state)
                ? {
                    hint: text.approveInsteadHint(sold),
                    action: (
                      <Button
                        size="sm"
                        variant="primary"
                        onClick={() => {
                          permits.refuse();
                          void flow.run();
                        }}
                      >
                        {text.approveInstead}
                      </Button>
                    ),
                  }
                : undefined
            }
            onRestart={onClose}
            explain={(error) =>
              error instanceof WorseQuote ? (
                <Notice
                  live
                  tone="warning"
                  actions={
                    <Button
                      size="sm"
                      variant="primary"
                      onClick={() => {
                        accepted.current = error.amountOut;
                        void flow.run();
                      }}
                    >
                      {text.acceptWorse}
                    </Button>
                  }
                >
                  {text.worse(
                    formatAmount(error.amountOut, decimals),
                    formatAmount(accepted.current ?? 0n, decimals),
                    assetOut,
                  )}
                </Notice>
              ) : undefined
            }
          />
        )}
        {state.phase === "done" ? <Traded side={side} token={token} onClose={onClose} /> : null}
      </div>
    </Sheet>
  );
}

/** The note after the trade is mined, with the next actions. */
function Traded({ side, token, onClose }: Pick<TradeReviewProps, "token" | "onClose"> & Pick<TradeOrder, "side">) {
  const { trade: text } = useMessages();
  return (
    <Notice
      live
      tone="success"
      title={text.done(side, token.symbol)}
      actions={
        <>
          <Button size="sm" onClick={onClose}>
            {text.again}
          </Button>
          {side === "buy" ? <AddToWallet token={toWatched(token)} /> : null}
        </>
      }
    />
  );
}

/** Returns the token with the address of its picture, which the wallet loads from this service. */
function toWatched(token: TokenDetail): WatchedToken {
  const picture = getImageUrl(token, 256);
  const image = picture === null ? null : new URL(picture, window.location.href).href;
  return { address: token.address, symbol: token.symbol, decimals, image };
}

/** Whether the wallet did not sign the permit: it declined, cannot sign typed data, or did not answer. */
function isPermitRefused({ steps, stop }: FlowState): boolean {
  if (steps.at(-1)?.name !== "permit") return false;
  return (
    stop?.kind === "cancelled" || (stop?.kind === "wallet" && (stop.fault === "declined" || stop.fault === "failed"))
  );
}

function Total({ label, value, symbol }: { label: string; value: bigint | null; symbol: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="truncate text-base font-bold">
        <Amount value={value} decimals={decimals} symbol={symbol} />
      </dd>
    </div>
  );
}

type ImpactConfirmationProps = { bps: number; symbol: string; onChange: (accepted: boolean) => void };

/** The confirmation of a high price impact: a tick from 5%, the token's symbol from 15%. */
function ImpactConfirmation({ bps, symbol, onChange }: ImpactConfirmationProps) {
  const { trade: text } = useMessages();
  const [typed, setTyped] = useState("");
  const percent = formatImpact(bps);
  return (
    <Notice tone="error" title={text.impactHigh(percent)}>
      {getImpactLevel(bps) === "tick" ? (
        <label className="flex items-center gap-2 text-ink">
          <input
            type="checkbox"
            className="size-5 accent-current"
            onChange={(event) => onChange(event.target.checked)}
          />
          {text.impactAccept(percent)}
        </label>
      ) : (
        <Field label={text.impactType(symbol)}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              autoComplete="off"
              onChange={(event) => {
                setTyped(event.target.value);
                onChange(event.target.value.trim() === symbol);
              }}
            />
          )}
        </Field>
      )}
    </Notice>
  );
}
