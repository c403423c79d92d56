import type { ForecastLineAnswer } from "@slipway/protocol/forecast";
import type { ReactNode } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { useElementWidth } from "../../ui/useElementWidth.ts";
import { formatNumberShort } from "./formatValue.ts";

const height = 300;
const margin = { top: 12, bottom: 12, end: 64 };
const fills: Readonly<Record<number, number>> = { 95: 0.14, 80: 0.2, 50: 0.3 };
const ticks = 4;

type FanChartProps = { series: readonly number[]; answer: ForecastLineAnswer };

/** The end of a series, its forecast, and the forecast intervals as a fan. */
export function FanChart({ series, answer }: FanChartProps) {
  const { forecast: text } = useMessages();
  const [element, width] = useElementWidth<HTMLDivElement>();
  const ahead = answer.prediction_length;
  // The forecast gets at least a quarter of the width.
  const history = series.slice(-Math.max(10, ahead * 3));
  const intervals = answer.intervals.toSorted((a, b) => b.level - a.level);
  const all = [...history, ...intervals.flatMap(({ lower, upper }) => [...lower, ...upper])];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const space = high > low ? (high - low) * 0.05 : Math.abs(high) || 1;
  const [bottom, top] = [low - space, high + space];
  const inner = Math.max(0, width - margin.end);
  const toX = (index: number) => (index / (history.length + ahead - 1)) * inner;
  const toY = (value: number) =>
    margin.top + (1 - (value - bottom) / (top - bottom)) * (height - margin.top - margin.bottom);
  const at = (index: number, value: number) => `${toX(index).toFixed(1)},${toY(value).toFixed(1)}`;
  const start = history.length - 1;
  const from = at(start, history.at(-1)!);
  const next = (values: readonly number[]) => values.map((value, step) => at(start + 1 + step, value));
  const levels = [...Array(ticks).keys()].map((tick) => low + ((high - low) * tick) / (ticks - 1));
  return (
    <figure>
      <div ref={element} className="h-[300px] w-full overflow-hidden">
        {width === 0 ? null : (
          <svg role="img" aria-label={text.chart(history.length, ahead)} width={width} height={height}>
            {levels.map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: constant series have equal levels
              <g key={index}>
                <line x1={0} x2={inner} y1={toY(value)} y2={toY(value)} className="stroke-line" />
                <text x={width} y={toY(value) + 4} textAnchor="end" fontSize={12} className="fill-muted">
                  {formatNumberShort(value)}
                </text>
              </g>
            ))}
            {intervals.map(({ level, lower, upper }) => (
              <polygon
                key={level}
                points={[from, ...next(upper), ...next(lower).toReversed()].join(" ")}
                className="fill-accent"
                fillOpacity={fills[level] ?? 0.1}
              />
            ))}
            <polyline
              points={history.map((value, index) => at(index, value)).join(" ")}
              fill="none"
              className="stroke-ink"
              strokeWidth={1.5}
              strokeLinejoin="round"
            />
            <polyline
              points={[from, ...next(answer.forecast)].join(" ")}
              fill="none"
              className="stroke-accent"
              strokeWidth={2}
              strokeLinejoin="round"
              strokeDasharray="5 3"
            />
          </svg>
        )}
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
        <Legend label={text.legend.history}>
          <line x1={0} x2={20} y1={6} y2={6} className="stroke-ink" strokeWidth={1.5} />
        </Legend>
        <Legend label={text.legend.median}>
          <line x1={0} x2={20} y1={6} y2={6} className="stroke-accent" strokeWidth={2} strokeDasharray="5 3" />
        </Legend>
        {intervals.toReversed().map(({ level }) => (
          <Legend key={level} label={text.legend.level(level)}>
            <rect width={20} height={12} rx={2} className="fill-accent" fillOpacity={(fills[level] ?? 0.1) + 0.1} />
          </Legend>
        ))}
      </figcaption>
    </figure>
  );
}

function Legend({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden="true" width={20} height={12}>
        {children}
      </svg>
      {label}
    </span>
  );
}
