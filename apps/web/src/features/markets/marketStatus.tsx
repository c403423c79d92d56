import type { MarketItem } from "@slipway/protocol/markets";
import { useMessages } from "../../messages/useMessages.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";

const marks: Readonly<Record<MarketItem["status"], { icon: IconName; classes: string }>> = {
  fresh: { icon: "check", classes: "text-buy" },
  stale: { icon: "warning", classes: "text-warn" },
  unavailable: { icon: "close", classes: "text-sell" },
};

type MarketStatusProps = { status: MarketItem["status"]; reason: MarketItem["reason"]; className?: string };

/** Whether a market's figures are current: word, mark and colour have the same meaning; a text states the reason. */
export function MarketStatus({ status, reason, className = "" }: MarketStatusProps) {
  const { markets: text } = useMessages();
  const { icon, classes } = marks[status];
  return (
    <span className={`inline-flex flex-wrap items-center gap-x-1.5 ${className}`}>
      <span className={`inline-flex items-center gap-1 font-semibold whitespace-nowrap ${classes}`}>
        <Icon name={icon} size={12} />
        {text.statuses[status]}
      </span>
      {reason === null ? null : <span className="text-muted">{text.reasons[reason]}</span>}
    </span>
  );
}
