import { useRef, useState } from "react";
import { useLiveMessages } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { TransactionLink } from "../../session/flowSteps.tsx";
import type { RunningFlow } from "../../session/useFlow.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { formatImpact } from "./quoteDetails.tsx";
import { needsConfirmation } from "./tradeOrder.ts";

/** The warning of a price impact that the review asks to confirm. */
export function HighImpact({ bps }: { bps: number | null }) {
  const { trade: text } = useMessages();
  if (bps === null || !needsConfirmation(bps)) return null;
  return (
    <Notice live tone="error">
      {text.impactHigh(formatImpact(bps))}
    </Notice>
  );
}

/** A trade that a reorg removed. */
export function Undone({ hash }: { hash: string | null }) {
  const { trade: text } = useMessages();
  if (hash === null) return null;
  return (
    <Notice live tone="warning">
      {text.undone} <TransactionLink hash={hash} />
    </Notice>
  );
}

/** Returns the last trade of this page that a reorg removed, so that it no longer appears as done. */
export function useUndoneTrade({ state, clear }: RunningFlow, onUndone: () => void): string | null {
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

/** A trade whose dialog is closed, or that an earlier visit started. */
export function UnderWay({ isDone, onShow }: { isDone: boolean; onShow: () => void }) {
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
