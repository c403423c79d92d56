import type { ListedInterval } from "@slipway/protocol/indexed";
import { memo } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Segments } from "../../ui/segments.tsx";
import { type ChartSettings, getUnit } from "./chartSettings.ts";

export const intervals = [
  "1s",
  "1m",
  "5m",
  "15m",
  "30m",
  "1h",
  "4h",
  "12h",
  "1d",
  "1w",
] as const satisfies readonly ListedInterval[];
/** The age of a token up to which it has candles of a second. */
const secondsAgeMs = 86_400_000;

const ChartMenu = lazyPart(
  () => import("./chartMenu.tsx"),
  (module) => module.ChartMenu,
);

type ChartControlsProps = {
  /** The time of the launch in ISO 8601; null if it is unknown. */
  launchedAt: string | null;
  interval: ListedInterval;
  onInterval: (interval: ListedInterval) => void;
  settings: ChartSettings;
  /** The currency of the candles. */
  quote: ChartSettings["unit"];
  onChange: (settings: ChartSettings) => void;
};

/** The choice of interval, value, unit, indicators and marks. Messages of the stream do not render it. */
export const ChartControls = memo(function ChartControls(props: ChartControlsProps) {
  const { launchedAt, interval, onInterval, settings, quote, onChange } = props;
  const { chart } = useMessages();
  const isYoung = launchedAt !== null && Date.now() - Date.parse(launchedAt) < secondsAgeMs;
  const offered = intervals.filter((each) => each !== "1s" || isYoung || interval === "1s");
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-2">
      <div className="min-w-0 flex-1 sm:flex-none">
        <Segments
          label={chart.interval}
          value={interval}
          items={offered.map((value) => ({ value, label: value }))}
          onChange={onInterval}
          size="sm"
        />
      </div>
      <div className="sm:order-last">
        <ChartMenu settings={settings} onChange={onChange} fallback={<span className="block h-8 w-22" />} />
      </div>
      {/* On a phone always in a row of its own, so that the menu moves nothing when it loads. */}
      <div className="flex flex-wrap items-center gap-2 max-sm:w-full sm:ms-auto">
        <Segments
          label={chart.value}
          value={settings.value}
          items={[
            { value: "price", label: chart.price },
            { value: "cap", label: chart.cap },
          ]}
          onChange={(value) => onChange({ ...settings, value })}
          size="sm"
        />
        <Segments
          label={chart.unit}
          value={getUnit(settings, quote)}
          items={[
            ...(quote === "usd" ? [{ value: "usd" as const, label: "USD" }] : []),
            { value: "eth" as const, label: "ETH" },
          ]}
          onChange={(unit) => onChange({ ...settings, unit })}
          size="sm"
        />
      </div>
    </div>
  );
});
