import { useId } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { toLines } from "./toLines.ts";

/** The width in drawing units; the drawing stretches to its container. */
const width = 320;
const height = 72;

type HistoryChartProps = {
  name: string;
  /** One value per hour; null is a gap, never zero. */
  values: readonly (number | null)[];
  format: (value: number) => string;
  /** Indexes of marked hours. */
  marks?: readonly number[];
};

/** The history of one figure with its last value and its range. */
export function HistoryChart({ name, values, format, marks = [] }: HistoryChartProps) {
  const { markets: text } = useMessages();
  const id = useId();
  const known = values.filter((value) => value !== null);
  const last = values.at(-1) ?? null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption id={id} className="flex items-baseline justify-between gap-2 text-sm">
        <span className="text-xs font-semibold text-muted">{name}</span>
        <span className="font-semibold">{last === null ? "—" : format(last)}</span>
      </figcaption>
      {known.length < 2 ? (
        <p className="flex h-18 items-center text-sm text-muted">{text.unknown}</p>
      ) : (
        <>
          <svg
            role="img"
            aria-label={text.chartText(name, last === null ? "—" : format(last), format(low), format(high))}
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            className="mt-1 block h-18 w-full overflow-visible rounded-sm bg-sunken text-accent"
          >
            {marks.map((index) => (
              <line
                key={index}
                x1={(index / (values.length - 1)) * width}
                x2={(index / (values.length - 1)) * width}
                y1={0}
                y2={height}
                className="stroke-sell"
                strokeWidth={1.5}
                opacity={0.5}
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {toLines(values, width, height).map((points) => (
              <polyline
                key={points}
                points={points}
                fill="none"
                stroke="currentColor"
                strokeWidth={1.5}
                strokeLinejoin="round"
                vectorEffect="non-scaling-stroke"
              />
            ))}
          </svg>
          <p className="mt-0.5 text-xs text-muted">{text.range(format(low), format(high))}</p>
        </>
      )}
    </figure>
  );
}
