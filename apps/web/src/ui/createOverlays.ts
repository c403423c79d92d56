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
  const drawMark = (context: CanvasRenderingContext2D, { t, price, side, text }: ChartMark, color: string) => {
    const [x, y] = [toX(t), toY(price)];
    if (x === null || y === null) return;
    const down = side === "buy" ? 1 : -1;
    const tip = y + down * markGap;
    context.beginPath();
    context.moveTo(x, tip);
    context.lineTo(x - markSize, tip + down * markSize * 1.6);
    context.lineTo(x + markSize, tip + down * markSize * 1.6);
    context.fillStyle = color;
    context.fill();
    context.textBaseline = side === "buy" ? "top" : "bottom";
    context.fillText(text, x, tip + down * (markSize * 1.6 + 2));
  };
  const draw = (context: CanvasRenderingContext2D) => {
    if (colors === null) return;
    for (const line of shown.lines) drawLine(context, line, colors[line.color]);
    context.font = `600 11px ${colors.font}`;
    context.textAlign = "center";
    for (const mark of shown.marks) drawMark(context, mark, colors[mark.side]);
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

  return {
    show(next: ChartOverlays, nextColors: ChartColors): void {
      shown = next;
      colors = nextColors;
      if (level !== null) candles.removePriceLine(level);
      level =
        next.level === null
          ? null
          : candles.createPriceLine({
              price: next.level.price,
              title: next.level.title,
              color: nextColors.text,
              lineWidth: 1,
              lineStyle: LineStyle.Dotted,
              axisLabelVisible: true,
            });
      attached?.requestUpdate();
    },
  };
}
