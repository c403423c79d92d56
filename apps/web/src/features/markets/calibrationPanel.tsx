import type { RiskSnapshotOut } from "@slipway/protocol/risk";
import { useMessages } from "../../messages/useMessages.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { formatNumber } from "./figures.ts";

type Zone = NonNullable<RiskSnapshotOut["calibration"]["zone"]>;
const zones: Readonly<Record<Zone, { icon: IconName; classes: string }>> = {
  green: { icon: "check", classes: "text-buy" },
  yellow: { icon: "warning", classes: "text-warn" },
  red: { icon: "close", classes: "text-sell" },
};

/** The traffic light: word, mark and colour have the same meaning. */
export function ZoneMark({ zone }: { zone: Zone | null }) {
  const { markets: text } = useMessages();
  if (zone === null) return <span className="text-sm text-muted">{text.unknown}</span>;
  const { icon, classes } = zones[zone];
  return (
    <span title={text.zoneHint} className={`inline-flex items-center gap-1 text-sm font-semibold ${classes}`}>
      <Icon name={icon} size={12} />
      {text.zones[zone]}
    </span>
  );
}

/** The calibration of value at risk: breaches of its stored forecasts and the expected number of breaches. */
export function CalibrationPanel({ calibration }: { calibration: RiskSnapshotOut["calibration"] }) {
  const { markets: text } = useMessages();
  const { window_days, breaches_95, breaches_99, expected_95, expected_99 } = calibration;
  const tests = [
    [text.kupiec("95"), calibration.kupiec_p_95],
    [text.kupiec("99"), calibration.kupiec_p_99],
    [text.christoffersen, calibration.christoffersen_p],
  ] as const;
  const levels = [
    ["95", breaches_95, expected_95],
    ["99", breaches_99, expected_99],
  ] as const;
  return (
    <Panel title={text.calibration} aside={<ZoneMark zone={calibration.zone} />}>
      <p className="text-sm text-muted">{text.calibrationLead(window_days)}</p>
      <ul className="mt-2 flex list-disc flex-col gap-1 ps-5 text-sm">
        {levels.map(([level, count, expected]) => (
          <li key={level}>{text.breaches(level, formatNumber(count), formatNumber(expected))}</li>
        ))}
      </ul>
      <p className="mt-3 text-xs font-semibold text-muted">{text.tests}</p>
      <dl className="mt-1 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {tests.map(([name, value]) => (
          <div key={name} className="flex gap-2">
            <dt>{name}</dt>
            <dd className={`font-semibold ${value !== null && value < 0.05 ? "text-warn" : ""}`}>
              {formatNumber(value)}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
