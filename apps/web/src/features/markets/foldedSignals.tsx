import type { SignalOut } from "@slipway/protocol/signals";
import { useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Icon } from "../../ui/icon.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { LatestSignals } from "./latestSignals.tsx";

type FoldedSignalsProps = { signals: readonly SignalOut[] | undefined };

/** The latest signals, folded: the line above them counts the strategies that had skill after costs. */
export function FoldedSignals({ signals }: FoldedSignalsProps) {
  const { markets: text } = useMessages();
  const [isOpen, setOpen] = useState(false);
  if (signals === undefined) return <Skeleton className="h-16 w-full rounded-md" />;
  const skilled = signals.filter(({ skill }) => skill === "positive").length;
  return (
    <details
      className="panel group overflow-hidden"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex min-h-16 list-none flex-wrap items-center gap-x-4 gap-y-1 rounded-md px-4 py-3 -outline-offset-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <h2 className="text-base font-bold">{text.signals}</h2>
        <span className="text-sm text-muted">{text.signalsSummary(signals.length, skilled)}</span>
        <Icon name="chevronDown" size={14} className="ms-auto text-muted transition-transform group-open:rotate-180" />
      </summary>
      {isOpen ? (
        <>
          <p className="px-4 pb-2 text-sm text-muted">{text.signalsLead}</p>
          <LatestSignals signals={signals} />
          <p className="px-4 py-2 text-xs text-muted">{text.signalsDisclaimer}</p>
        </>
      ) : null}
    </details>
  );
}
