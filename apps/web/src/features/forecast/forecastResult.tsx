import type { ForecastLineAnswer } from "@slipway/protocol/forecast";
import { createNumberFormat } from "../../format/formats.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { DataTable } from "../../ui/dataTable.tsx";
import { Figure } from "../../ui/figure.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { FanChart } from "./fanChart.tsx";
import { formatValue } from "./formatValue.ts";

const ratio = createNumberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const share = createNumberFormat({ style: "percent", maximumFractionDigits: 0 });
const show = (format: (value: number) => string, value: number | null) => (value === null ? "—" : format(value));

type ForecastResultProps = { series: readonly number[]; answer: ForecastLineAnswer };

/** The result of a forecast: chart, warnings, model, backtest and values. */
export function ForecastResult({ series, answer }: ForecastResultProps) {
  const { forecast: text } = useMessages();
  const { warnings } = answer.diagnostics;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Panel
        title={text.result}
        aside={<span className="text-sm text-muted">{text.charged(answer.credits.charged)}</span>}
      >
        <FanChart series={series} answer={answer} />
        <p className="mt-2 text-xs text-muted">{text.disclaimer}</p>
      </Panel>
      {warnings.length === 0 ? null : (
        <Notice tone="warning" title={text.warningsTitle}>
          <ul className="flex flex-col gap-1">
            {warnings.map((warning) => (
              <li key={warning}>{text.warnings[warning]}</li>
            ))}
          </ul>
        </Notice>
      )}
      <ModelPanel answer={answer} />
      <ValueTable answer={answer} />
    </div>
  );
}

function ModelPanel({ answer: { model, diagnostics } }: { answer: ForecastLineAnswer }) {
  const { forecast: text } = useMessages();
  const { backtest, n_used } = diagnostics;
  const periods = model.seasonal_periods.join(", ");
  const grid = "grid grid-cols-2 gap-4 sm:grid-cols-4";
  return (
    <Panel title={`${text.model}: ${text.models[model.name]}`}>
      <p className="text-sm text-muted">{text.modelBody[model.name]}</p>
      <dl className={`mt-3 ${grid}`}>
        <Figure name={text.seasons}>{periods === "" ? text.noSeason : periods}</Figure>
        <Figure name={text.used}>{n_used}</Figure>
        <Figure name={text.version}>{model.version}</Figure>
      </dl>
      <h3 className="mt-4 text-sm font-bold">{text.backtest}</h3>
      <p className="text-sm text-muted">{backtest === null ? text.noBacktest : text.backtestLead(backtest.origins)}</p>
      {backtest === null ? null : (
        <dl className={`mt-3 ${grid}`}>
          <Figure name={text.relative}>{show(ratio, backtest.relative_to_last_value)}</Figure>
          <Figure name={text.mase}>{show(ratio, backtest.mase)}</Figure>
          <Figure name={text.coverage(80)}>{show(share, backtest.coverage_80)}</Figure>
          <Figure name={text.coverage(95)}>{show(share, backtest.coverage_95)}</Figure>
        </dl>
      )}
      {backtest === null ? null : <ErrorTable errors={backtest.errors_by_step} />}
    </Panel>
  );
}

type ErrorsByStep = NonNullable<ForecastLineAnswer["diagnostics"]["backtest"]>["errors_by_step"];

/** Steps 1, 2, 4, 8 and so on, and the last one. */
function chooseSteps(count: number): number[] {
  const steps: number[] = [];
  for (let step = 1; step < count; step *= 2) steps.push(step);
  return [...steps, count];
}

/** The backtest at some of the steps ahead, and which of them are no better than the last value. */
function ErrorTable({ errors }: { errors: ErrorsByStep }) {
  const { forecast: text } = useMessages();
  const { forecast, last_value, seasonal_naive } = errors;
  const isNoBetter = (index: number) => forecast[index]! >= last_value[index]!;
  return (
    <div className="mt-4">
      <DataTable
        caption={text.errors}
        rows={chooseSteps(forecast.length)}
        getKey={String}
        rowClassName="h-10"
        columns={[
          { key: "step", header: text.columns.step, render: (step) => step },
          {
            key: "error",
            header: text.errorColumns.forecast,
            numeric: true,
            render: (step) => formatValue(forecast[step - 1]!),
          },
          {
            key: "last",
            header: text.errorColumns.lastValue,
            numeric: true,
            render: (step) => formatValue(last_value[step - 1]!),
          },
          {
            key: "naive",
            header: text.errorColumns.seasonalNaive,
            numeric: true,
            priority: "sm",
            render: (step) => (seasonal_naive === null ? "—" : formatValue(seasonal_naive[step - 1]!)),
          },
          {
            key: "verdict",
            header: text.errorColumns.verdict,
            render: (step) => (isNoBetter(step - 1) ? text.noBetter : text.better),
          },
        ]}
      />
    </div>
  );
}

function ValueTable({ answer }: { answer: ForecastLineAnswer }) {
  const { forecast: text } = useMessages();
  const at = (level: number, index: number) => {
    const interval = answer.intervals.find((each) => each.level === level);
    if (interval === undefined) return "—";
    return `${formatValue(interval.lower[index]!)} – ${formatValue(interval.upper[index]!)}`;
  };
  return (
    <details className="panel">
      <summary className="px-4 py-3 font-bold">{text.values_table}</summary>
      <DataTable
        caption={text.values_table}
        rows={answer.forecast.map((value, index) => ({ value, index }))}
        getKey={({ index }) => String(index)}
        rowClassName="h-10"
        columns={[
          { key: "step", header: text.columns.step, render: ({ index }) => index + 1 },
          { key: "median", header: text.columns.median, numeric: true, render: ({ value }) => formatValue(value) },
          { key: "inner", header: text.columns.inner, numeric: true, render: ({ index }) => at(80, index) },
          {
            ...{ key: "outer", header: text.columns.outer, numeric: true, priority: "sm" },
            render: ({ index }) => at(95, index),
          },
        ]}
      />
    </details>
  );
}
