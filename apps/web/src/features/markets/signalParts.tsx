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

/** Long, short or flat: word, arrow and colour have the same meaning. */
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

/** Returns a function that names strategies. A strategy of a later version keeps its id. */
export function useStrategyName(): (strategy: string) => string {
  const { markets: text } = useMessages();
  return (strategy) => text.strategies[strategy] ?? strategy;
}

/** The skill of a strategy. Only proven skill has the positive colour. */
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

/** The record of earlier signals, and the skill. */
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

/** The end of a signal's validity. After it, an entry no longer matches the record. */
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
