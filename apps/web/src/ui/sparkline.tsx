type SparklineProps = {
  /** Values in order; fewer than two draw nothing. */
  values: readonly number[];
  width?: number;
  height?: number;
  className?: string;
};

/** The course of a value in the space of a word. It decorates a number that stands beside it. */
export function Sparkline({ values, width = 96, height = 28, className = "" }: SparklineProps) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = high > low ? (height - 2) / (high - low) : 0;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * width;
    return `${x.toFixed(1)},${(scale === 0 ? height / 2 : height - 1 - (value - low) * scale).toFixed(1)}`;
  });
  const tone = (values.at(-1) ?? 0) >= (values[0] ?? 0) ? "text-buy" : "text-sell";
  return (
    <svg aria-hidden="true" width={width} height={height} className={`overflow-visible ${tone} ${className}`}>
      {values.length < 2 ? null : (
        <polyline
          points={points.join(" ")}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          strokeLinejoin="round"
        />
      )}
    </svg>
  );
}
