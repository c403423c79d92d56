type SparklineProps = {
  /** Values in order; fewer than two values draw nothing. */
  values: readonly number[];
  className?: string;
};

const [width, height] = [220, 32];

/** The history of a value, as wide as its container. Decorative: the number stands beside it. */
export function Sparkline({ values, className = "" }: SparklineProps) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = high > low ? (height - 2) / (high - low) : 0;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * width;
    return `${x.toFixed(1)},${(scale === 0 ? height / 2 : height - 1 - (value - low) * scale).toFixed(1)}`;
  });
  const tone = (values.at(-1) ?? 0) >= (values[0] ?? 0) ? "text-buy" : "text-sell";
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={`h-8 w-full overflow-visible ${tone} ${className}`}
    >
      {values.length < 2 ? null : (
        <polyline
          points={points.join(" ")}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
          strokeLinejoin="round"
        />
      )}
    </svg>
  );
}
