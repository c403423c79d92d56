import type { SignalOut, TrackRecordOut } from "@slipway/protocol/signals";
import { formatMoment } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { formatBps, formatRate } from "./figures.ts";

const arrows: Readonly<Record<SignalOut["direction"], { icon: IconName | null; classes: string }>> = {
  long: { icon: "arrowUp", classes: "text-buy" },
  short: { icon: "arrowDown", classes: "text-sell" },
  flat: { icon: null, classes: "text-muted" },
};

/** Long, short or flat: word, arrow and colour say the same. */
export function Direction({ direction }: { direction: SignalOut["direction"] }) {
  const { markets: text } = useMessages();
  const { icon, classes } = arrows[direction];
  return (
    <span className={`inline-flex items-center gap-1 font-semibold whitespace-nowrap ${classes}`}>
      {icon === null ? null : <Icon name={icon} size={12} />}
      {text.directions[direction]}
    </span>
  );
}

/** The name of a strategy; one of a later version keeps its own. */
export function useStrategyName(): (strategy: string) => string {
  const { markets: text } = useMessages();
  return (strategy) => text.strategies[strategy] ?? strategy;
}

/** The verdict on a strategy's record. Only skill that was shown is coloured as good. */
export function Skill({ skill }: { skill: SignalOut["skill"] }) {
  const { markets: text } = useMessages();
  return (
    <span
      className={`font-semibold ${skill === "positive" ? "text-buy" : skill === "none" ? "text-warn" : "text-muted"}`}
    >
      {text.skill[skill]}
    </span>
  );
}

/** How the signals before ended, and the verdict on it. */
export function SignalRecord({ skill, record }: { skill: SignalOut["skill"]; record: TrackRecordOut | null }) {
  const { markets: text } = useMessages();
  return (
    <span className="flex flex-col text-xs">
      <Skill skill={skill} />
      <span className="text-muted">
        {record === null
          ? text.noRecord
          : text.record(formatRate(record.hit_rate), record.n, text.bps(formatBps(record.mean_return_bps)))}
      </span>
    </span>
  );
}

/** Until when a signal's entry is that of the record, or since when it is not. */
export function Validity({ signal }: { signal: Pick<SignalOut, "valid_until" | "stale"> }) {
  const { markets: text } = useMessages();
  const until = new Date(signal.valid_until);
  const isValid = until.getTime() > Date.now();
  return (
    <time dateTime={signal.valid_until} className={isValid ? "" : "text-muted"}>
      {isValid ? text.validUntil(formatMoment(until)) : text.expired(formatMoment(until))}
      {signal.stale ? <span className="block text-xs text-warn">{text.staleSignal}</span> : null}
    </time>
  );
}
