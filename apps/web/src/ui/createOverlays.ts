import {
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesPrimitive,
  LineStyle,
  type SeriesAttachedParameter,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { type ChartColors, type ChartLine, type ChartMark, type ChartOverlays, noOverlays } from "./chartOverlays.ts";

/** Pixels between a candle and its mark, and the mark's size. */
const [markGap, markSize] = [6, 5];
const circleRadius = 6;
/** Pixels that a mark occupies, with the space before the next one. */
const heights = { arrow: 26, circle: 2 * circleRadius + 4 };

/**
 * Draws lines and marks over the candles. Own drawing, because the library's line series and markers would add 7 kB to
 * a token's page.
 */
export function createOverlays(chart: IChartApi, candles: ISeriesApi<"Candlestick">) {
  let shown = noOverlays;
  let colors: ChartColors | null = null;
  let level: IPriceLine | null = null;
  let attached: SeriesAttachedParameter<Time> | null = null;

  const toX = (t: number) => chart.timeScale().timeToCoordinate(t as UTCTimestamp);
  const toY = (price: number) => candles.priceToCoordinate(price);

  const drawLine = (context: CanvasRenderingContext2D, { points }: ChartLine, color: string) => {
    context.beginPath();
    for (const { t, value } of points) {
      const [x, y] = [toX(t), toY(value)];
      if (x !== null && y !== null) context.lineTo(x, y);
    }
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.stroke();
  };
  /** Draws a mark that begins `offset` pixels beyond its candle. */
  const drawMark = (context: CanvasRenderingContext2D, mark: ChartMark, offset: number, color: string) => {
    const [x, y] = [toX(mark.t), toY(mark.price)];
    if (x === null || y === null) return;
    const down = mark.place === "below" ? 1 : -1;
    const tip = y + down * (markGap + offset);
    context.fillStyle = color;
    context.strokeStyle = color;
    context.beginPath();
    if (mark.shape === "circle") {
      const middle = tip + down * circleRadius;
      context.arc(x, middle, circleRadius, 0, 2 * Math.PI);
      context.lineWidth = 1.5;
      context.stroke();
      context.textBaseline = "middle";
      context.fillText(mark.text, x, middle);
      return;
    }
    context.moveTo(x, tip);
    context.lineTo(x - markSize, tip + down * markSize * 1.6);
    context.lineTo(x + markSize, tip + down * markSize * 1.6);
    context.fill();
    context.textBaseline = mark.place === "below" ? "top" : "bottom";
    context.fillText(mark.text, x, tip + down * (markSize * 1.6 + 2));
  };
  const draw = (context: CanvasRenderingContext2D) => {
    if (colors === null) return;
    for (const line of shown.lines) drawLine(context, line, colors[line.color]);
    context.font = `600 11px ${colors.font}`;
    context.textAlign = "center";
    // Marks at the same candle are beyond each other.
    const offsets = new Map<string, number>();
    for (const mark of shown.marks) {
      const place = `${mark.t} ${mark.place}`;
      const offset = offsets.get(place) ?? 0;
      drawMark(context, mark, offset, colors[mark.color]);
      offsets.set(place, offset + heights[mark.shape]);
    }
  };
  const view = {
    zOrder: () => "top" as const,
    renderer: () => ({
      draw: (target: { useMediaCoordinateSpace(use: (scope: { context: CanvasRenderingContext2D }) => void): void }) =>
        target.useMediaCoordinateSpace(({ context }) => {
          context.save();
          draw(context);
          context.restore();
        }),
    }),
  };
  const primitive: ISeriesPrimitive<Time> = {
    attached: (parameters) => {
      attached = parameters;
    },
    paneViews: () => [view],
  };
  candles.attachPrimitive(primitive);

  const showLevel = (next: ChartOverlays["level"], nextColors: ChartColors) => {
    const { level: current } = shown;
    if (nextColors === colors && next?.price === current?.price && next?.title === current?.title) return;
    if (level !== null) candles.removePriceLine(level);
    level =
      next === null
        ? null
        : candles.createPriceLine({
            price: next.price,
            title: next.title,
            color: nextColors.text,
            lineWidth: 1,
            lineStyle: LineStyle.Dotted,
            axisLabelVisible: true,
          });
  };

  return {
    /** Replaces the overlays. The next drawing of the chart shows them. */
    show(next: ChartOverlays, nextColors: ChartColors): void {
      showLevel(next.level, nextColors);
      shown = next;
      colors = nextColors;
    },
    /** Draws the chart, for which the library needs two frames. A change of candles draws the overlays too, in one frame. */
    redraw: (): void => attached?.requestUpdate(),
  };
}
