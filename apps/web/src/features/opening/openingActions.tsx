import type { OpeningDetail } from "@slipway/protocol/openings";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatAmount } from "../../format/amount.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatFraction } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices } from "../../session/services.tsx";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { DepositForm } from "./depositForm.tsx";
import { Lines } from "./lines.tsx";
import { createOpeningFlow, getOpeningFlow, type OpeningOrder, toLaunchValue } from "./openingFlows.ts";

type OpeningActionsProps = { opening: OpeningDetail; currency: string };

/** The part of the connected wallet, and what it can do: deposit, open as the creator, close, claim. */
export function OpeningActions({ opening, currency }: OpeningActionsProps) {
  const { opening: text, wallet: walletText } = useMessages();
  const services = useServices();
  const client = useQueryClient();
  const { address } = useConnection();
  const running = useFlow();
  const { state, flow } = running;
  const [kind, setKind] = useState<OpeningOrder["kind"]>("deposit");
  const toDefinition = (order: OpeningOrder) => {
    setKind(order.kind);
    return createOpeningFlow(services, order);
  };
  useRestoredFlow(getOpeningFlow(opening.address), ({ request }) => toDefinition(request as OpeningOrder), running);
  const confirmed = state.steps.filter(({ status }) => status === "confirmed").length;
  useEffect(() => {
    if (confirmed === 0) return;
    void client.invalidateQueries({ queryKey: ["getOpening"] });
    void client.invalidateQueries({ queryKey: ["listOpeningDeposits"] });
  }, [confirmed, client]);
  const start = (order: OpeningOrder) => void running.start(toDefinition(order));

  if (flow !== null) {
    return (
      <Panel title={text.yours}>
        <div className="flex flex-col gap-3">
          <FlowSteps state={state} flow={flow} onRestart={running.clear} />
          {state.phase === "done" ? (
            <Notice
              live
              tone="success"
              actions={
                <Button size="sm" onClick={running.clear}>
                  {walletText.goOn}
                </Button>
              }
            >
              {text.done[kind]}
            </Notice>
          ) : null}
        </div>
      </Panel>
    );
  }
  const { status, creator, other_launch: other, address: of, deadline } = opening;
  const isRunning = status === "open" || status === "ready";
  const isCreator = address !== null && creator.toLowerCase() === address;
  const wallet = address ?? "";
  const value = toLaunchValue(opening);
  const toNative = (amount: bigint) => `${formatAmount(amount, 18)} ${currency}`;
  return (
    <>
      {isRunning && other !== null ? (
        <Panel title={text.otherTitle}>
          <p className="mb-3 text-sm">{text.otherBody}</p>
          <ActionButton onClick={() => start({ kind: "close", opening: of, wallet })}>{text.close}</ActionButton>
        </Panel>
      ) : null}
      {isRunning && isCreator && other === null ? (
        <Panel title={text.openTitle}>
          {status === "ready" ? (
            <div className="flex flex-col gap-3">
              <p className="text-sm">{text.openLead(toNative(value))}</p>
              <ActionButton
                onClick={() => start({ kind: "open", opening: of, wallet, value: value.toString(), deadline })}
              >
                {text.openNow(toNative(value))}
              </ActionButton>
            </div>
          ) : (
            <p className="text-sm">{text.openWaits(toNative(BigInt(opening.minimum) - BigInt(opening.total)))}</p>
          )}
        </Panel>
      ) : null}
      {isRunning && other === null ? (
        <Panel title={text.deposit}>
          <DepositForm
            opening={opening}
            currency={currency}
            onDeposit={(amount) => start({ kind: "deposit", opening: of, wallet, amount: amount.toString() })}
          />
        </Panel>
      ) : null}
      <OwnPart opening={opening} currency={currency} onClaim={() => start({ kind: "claim", opening: of, wallet })} />
    </>
  );
}

/** The deposit of the connected wallet, its claim, and its paid claims. */
function OwnPart({ opening, currency, onClaim }: OpeningActionsProps & { onClaim: () => void }) {
  const { opening: text } = useMessages();
  const { account, status, symbol } = opening;
  const isRunning = status === "open" || status === "ready";
  if (account === null || account.deposit === "0")
    return isRunning || account === null ? null : (
      <Panel title={text.yours}>
        <p className="text-sm text-muted">{text.claimNothing}</p>
      </Panel>
    );
  const toBoth = (tokens: string, native: string) => {
    const parts = [
      ...(tokens === "0" ? [] : [`${formatAmount(BigInt(tokens), 18)} ${toDisplayText(symbol) || text.columns.token}`]),
      ...(native === "0" ? [] : [`${formatAmount(BigInt(native), 18)} ${currency}`]),
    ];
    return parts.length === 0
      ? null
      : parts.map((part) => (
          <span key={part} className="block">
            {part}
          </span>
        ));
  };
  const { if_opened_now: now, claimable_tokens: tokens, claimable_refund: refund } = account;
  const canClaim = tokens !== "0" || refund !== "0";
  return (
    <Panel title={text.yours}>
      <div className="flex flex-col gap-3">
        <Lines
          lines={[
            [text.deposited, `${formatAmount(BigInt(account.deposit), 18)} ${currency}`],
            [text.yourShare, formatFraction(account.share)],
            [text.ifOpened, now === null ? null : toBoth(now.tokens, now.refund)],
            [text.claimable, toBoth(tokens, refund)],
            [text.claimed, toBoth(account.claimed_tokens, account.claimed_refund)],
          ]}
        />
        {canClaim ? <ActionButton onClick={onClaim}>{text.claim}</ActionButton> : null}
        {isRunning ? <p className="text-sm text-muted">{text.claimLater}</p> : null}
      </div>
    </Panel>
  );
}
