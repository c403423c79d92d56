import type { RiskHourOut } from "@slipway/protocol/risk";
import { formatPrice } from "../../format/price.ts";
import { usePairRisk } from "../../live/useRisk.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ErrorNote, getErrorCode } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { CalibrationPanel } from "./calibrationPanel.tsx";
import { formatRisk, formatScore } from "./figures.ts";
import { HistoryChart } from "./historyChart.tsx";
import { BandPanel, LossPanel, StatePanel, VolatilityPanel } from "./riskFigures.tsx";

/** The risk of a pair from the stream: figures, calibration, and the last 168 hours. */
export function RiskPanel({ pair }: { pair: string }) {
  const { markets: text } = useMessages();
  const { data, error, isFetching, refetch, state } = usePairRisk(pair, true);
  if (getErrorCode(error) === "market_unavailable") {
    return (
      <Notice live tone="warning" title={text.riskUnavailable(text.reasons.no_data)}>
        {text.riskUnavailableBody}
      </Notice>
    );
  }
  if (data === undefined && error !== null) {
    return <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />;
  }
  if (data === undefined) return <Skeleton className="h-96 w-full" />;
  const { snapshot, history } = data;
  const { status, reason } = snapshot;
  if (snapshot.as_of === null) {
    return (
      <Notice live title={text.riskComputing}>
        {text.riskComputingBody}
      </Notice>
    );
  }
  if (status === "unavailable") {
    return (
      <Notice live tone="warning" title={text.riskUnavailable(text.reasons[reason ?? "no_data"])}>
        {text.riskUnavailableBody}
      </Notice>
    );
  }
  const isOld = status === "stale" || error !== null;
  return (
    <div className="flex flex-col gap-4">
      {error === null ? null : <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />}
      {status === "stale" ? (
        <Notice live tone="warning" title={text.statuses.stale}>
          {text.staleBody}
        </Notice>
      ) : null}
      {reason === null ? null : <Notice>{text.riskUnavailable(text.reasons[reason])}</Notice>}
      <p className="text-xs text-muted">
        {state === "live" ? text.live : text.polling}
        {snapshot.as_of === null ? null : (
          <>
            {" · "}
            {text.asOf} <Time value={snapshot.as_of} />
          </>
        )}
        {snapshot.data_through === null ? null : (
          <>
            {" · "}
            {text.dataThrough} <Time value={snapshot.data_through} />
          </>
        )}
      </p>
      <div
        className={`grid min-w-0 items-start gap-4 md:grid-cols-2 xl:grid-cols-3 ${isOld ? "text-muted grayscale" : ""}`}
      >
        <div className="flex min-w-0 flex-col gap-4">
          <LossPanel snapshot={snapshot} />
          <BandPanel snapshot={snapshot} />
        </div>
        <VolatilityPanel snapshot={snapshot} />
        <StatePanel snapshot={snapshot} />
        <div className="flex min-w-0 flex-col gap-4 md:col-span-2 xl:col-span-3 xl:grid xl:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] xl:items-start">
          <CalibrationPanel calibration={snapshot.calibration} />
          <HistoryPanel history={history} />
        </div>
      </div>
      <p className="text-xs text-muted">{text.riskDisclaimer}</p>
    </div>
  );
}

function HistoryPanel({ history }: { history: readonly RiskHourOut[] }) {
  const { markets: text } = useMessages();
  const breaches = history.flatMap(({ breach_95 }, index) => (breach_95 ? [index] : []));
  const charts = [
    { name: text.charts.price, values: history.map(({ price }) => price), format: formatPrice, marks: breaches },
    { name: text.charts.volatility, values: history.map(({ volatility }) => volatility), format: formatRisk },
    { name: text.charts.var, values: history.map(({ var_95 }) => var_95), format: formatRisk },
    { name: text.charts.score, values: history.map(({ risk_score }) => risk_score), format: formatScore },
  ];
  return (
    <Panel title={text.historyHours}>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {charts.map((chart) => (
          <HistoryChart key={chart.name} {...chart} />
        ))}
      </div>
      <p className="mt-3 text-xs text-muted">{text.breachCount(breaches.length)}</p>
    </Panel>
  );
}
