import type { RiskSnapshotOut } from "@slipway/protocol/risk";
import type { ReactNode } from "react";
import { formatCount } from "../../format/figures.ts";
import { formatMoment } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Panel } from "../../ui/panel.tsx";
import { Price } from "../../ui/price.tsx";
import { formatChange, formatNumber, formatRate, formatRisk, formatScore } from "./figures.ts";

type SnapshotProps = { snapshot: RiskSnapshotOut };

/** A list of names and values, one per line. */
function Lines({ lines }: { lines: readonly (readonly [name: string, value: ReactNode, hint?: string])[] }) {
  return (
    <dl className="flex flex-col text-sm">
      {lines.map(([name, value, hint]) => (
        <div key={name} className="flex items-baseline justify-between gap-4 border-b border-line py-1.5 last:border-0">
          <dt className="min-w-0">
            {name}
            {hint ? <span className="block text-xs text-muted">{hint}</span> : null}
          </dt>
          <dd className="text-end font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Value at risk, expected shortfall and upside at both levels. */
export function LossPanel({ snapshot }: SnapshotProps) {
  const { markets: text } = useMessages();
  const rows = [
    [text.valueAtRisk, text.valueAtRiskHint, snapshot.var],
    [text.shortfall, text.shortfallHint, snapshot.es],
    [text.upside, text.upsideHint, snapshot.upside],
  ] as const;
  const cell = "py-1.5 ps-3 text-end font-semibold";
  return (
    <Panel title={text.losses}>
      <table className="w-full text-sm">
        <caption className="sr-only">{text.lossesCaption}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            <th scope="col" className="py-1 text-start font-semibold">
              {text.level}
            </th>
            <th scope="col" className="py-1 ps-3 text-end font-semibold">
              95%
            </th>
            <th scope="col" className="py-1 ps-3 text-end font-semibold">
              99%
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, hint, value]) => (
            <tr key={name} className="border-b border-line align-baseline last:border-0">
              <th scope="row" className="py-1.5 text-start font-normal">
                {name}
                <span className="block text-xs text-muted">{hint}</span>
              </th>
              <td className={cell}>{formatRisk(value["95"])}</td>
              <td className={cell}>{formatRisk(value["99"])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** The probable range of tomorrow's price. */
export function BandPanel({ snapshot }: SnapshotProps) {
  const { markets: text } = useMessages();
  const show = (band: [number, number] | null) =>
    band === null ? (
      "—"
    ) : (
      <>
        <Price value={band[0]} quote="" /> {text.to} <Price value={band[1]} quote="" />
      </>
    );
  return (
    <Panel title={text.bands}>
      <Lines
        lines={[
          [text.band("80"), show(snapshot.band_24h["80"])],
          [text.band("95"), show(snapshot.band_24h["95"])],
        ]}
      />
    </Panel>
  );
}

/** Regime, score, drawdown, liquidity. */
export function StatePanel({ snapshot }: SnapshotProps) {
  const { markets: text } = useMessages();
  const { regime, drawdown, liquidity, risk_score } = snapshot;
  const since = regime.since === null ? undefined : `${text.regimeSince} ${formatMoment(new Date(regime.since))}`;
  return (
    <Panel title={text.state}>
      <Lines
        lines={[
          [text.regime, regime.label === null ? "—" : text.regimes[regime.label], since],
          [text.regimeStays, formatRate(regime.probability)],
          [text.score, formatScore(risk_score), text.scoreOf],
          [text.drawdown, formatChange(drawdown.current)],
          [text.drawdownMax, formatChange(drawdown.max_90d)],
          [text.spread, liquidity.spread_est_bps === null ? "—" : text.bps(formatNumber(liquidity.spread_est_bps))],
          [text.volume, formatCount(liquidity.volume_24h_quote)],
          [text.amihud, formatNumber(liquidity.amihud)],
        ]}
      />
    </Panel>
  );
}

/** The daily volatility of each model. */
export function VolatilityPanel({ snapshot: { volatility } }: SnapshotProps) {
  const { markets: text } = useMessages();
  const models = Object.keys(text.models) as (keyof typeof text.models)[];
  const kind = (model: string) => (model.endsWith("_daily") ? text.modelKinds.forecast : text.modelKinds.measured);
  return (
    <Panel title={text.volatility}>
      <Lines
        lines={[
          ...models.map((model) => [text.models[model], formatRisk(volatility[model]), kind(model)] as const),
          [text.annualized, formatRisk(volatility.annualized)],
          [text.percentile, formatRate(volatility.percentile_1y)],
        ]}
      />
    </Panel>
  );
}
