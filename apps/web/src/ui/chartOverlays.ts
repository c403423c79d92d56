/** The theme's colours as #rrggbb, and its font. */
export type ChartColors = Readonly<
  Record<"text" | "line" | "buy" | "sell" | "accent" | "second" | "third" | "font", string>
>;

/** A line over the candles, e.g. a moving average. */
export type ChartLine = { key: string; color: "accent" | "second" | "third"; points: readonly ChartPoint[] };
export type ChartPoint = { t: number; value: number };

/**
 * A mark at a candle: `t` is the open time of the candle, `price` its low for a mark below it or its high for a mark above
 * it. A trade is an arrow with a text, below for a buy; a change of liquidity is a circle with a sign, below if it was added.
 */
export type ChartMark = {
  t: number;
  price: number;
  place: "below" | "above";
  shape: "arrow" | "circle";
  color: "buy" | "sell" | "accent";
  text: string;
};

/** The lines and marks of a chart besides candles and volume. The chart draws them again for a new object. */
export type ChartOverlays = {
  lines: readonly ChartLine[];
  marks: readonly ChartMark[];
  /** A horizontal line at a price, with its name. */
  level: { price: number; title: string } | null;
  isLogarithmic: boolean;
};

export const noOverlays: ChartOverlays = { lines: [], marks: [], level: null, isLogarithmic: false };
