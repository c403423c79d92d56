import {
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  HistogramSeries,
  PriceScaleMode,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { timeLocale } from "../format/locale.ts";
import { formatPrice } from "../format/price.ts";
import { type ChartColors, type ChartOverlays, noOverlays } from "./chartOverlays.ts";
import { importFile } from "./importFile.ts";

const formats = {
  year: new Intl.DateTimeFormat(timeLocale, { year: "numeric" }),
  month: new Intl.DateTimeFormat(timeLocale, { month: "short" }),
  day: new Intl.DateTimeFormat(timeLocale, { day: "numeric", month: "short" }),
  time: new Intl.DateTimeFormat(timeLocale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  second: new Intl.DateTimeFormat(timeLocale, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }),
  moment: new Intl.DateTimeFormat(timeLocale, {
    ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  }),
};

/** Formats a tick of the time axis in local time, because the library uses UTC. */
function formatTick(seconds: number, type: TickMarkType): string {
  const date = new Date(seconds * 1_000);
  if (type === TickMarkType.Year) return formats.year.format(date);
  if (type === TickMarkType.Month) return formats.month.format(date);
  if (type === TickMarkType.TimeWithSeconds && seconds % 60 !== 0) return formats.second.format(date);
  return (type === TickMarkType.DayOfMonth ? formats.day : formats.time).format(date);
}

/** Below this number of candles, all of them fill the chart. */
const minBars = 60;
/** The maximum width of a candle in pixels, so that two candles do not fill the chart. */
const maxBarWidth = 48;
/** Requests older candles if fewer remain beyond the left edge. */
const loadAheadBars = 30;
const decimals = 12;
/** Pixels for the labels of the price axis, which is never narrower, also before its first price. */
const minAxisWidth = 68;

const readColors = (): ChartColors => {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: read("muted"),
    line: read("line"),
    buy: read("buy"),
    sell: read("sell"),
    font: style.fontFamily,
    accent: read("accent"),
    second: read("split-2"),
    third: read("split-3"),
  };
};

const toChartOptions = ({ text, line, font }: ChartColors) => ({
  layout: {
    background: { type: ColorType.Solid, color: "transparent" },
    ...{ textColor: text, fontFamily: font, fontSize: 12 },
    // The logo would add a style element, which the CSP blocks; the page has a link instead.
    attributionLogo: false,
  },
  grid: { vertLines: { visible: false }, horzLines: { color: line } },
  rightPriceScale: { borderColor: line, entireTextOnly: true, minimumWidth: minAxisWidth },
  timeScale: {
    borderColor: line,
    timeVisible: true,
    secondsVisible: true,
    rightOffset: 4,
    tickMarkFormatter: (time: Time, type: TickMarkType) => formatTick(time as UTCTimestamp, type),
  },
});
const toCandleOptions = ({ buy, sell }: ChartColors) => ({
  ...{ upColor: buy, borderUpColor: buy, wickUpColor: buy },
  ...{ downColor: sell, borderDownColor: sell, wickDownColor: sell },
});

/** A candle: `t` is its open time in Unix seconds. */
export type ChartCandle = { t: number; o: number; h: number; l: number; c: number };

/** The volume bars: their value, and its text on the axis. */
export type ChartVolume<Candle> = { read: (candle: Candle) => number; format: (value: number) => string };

/** Draws over the candles; loaded after them. */
type Overlays = { show(overlays: ChartOverlays, colors: ChartColors): void; redraw(): void };

export type PriceChart<Candle> = {
  /** Shows candles, oldest first. Updates only the newest candles if the others are unchanged. */
  show(candles: readonly Candle[], overlays?: ChartOverlays): void;
  stop(): void;
};

/**
 * Draws candles and volume into an element, in the element's size and the page's theme.
 *
 * @param options.onOlder - Called near the left edge.
 * @param options.onPoint - Called with the open time of the candle under the pointer, or of the tapped candle; null beside the
 * candles.
 */
export function createPriceChart<Candle extends ChartCandle>(
  element: HTMLElement,
  options: { volume: ChartVolume<Candle>; onOlder: () => void; onPoint: (t: number | null) => void },
): PriceChart<Candle> {
  let colors = readColors();
  const chart = createChart(element, {
    ...toChartOptions(colors),
    autoSize: true,
    crosshair: { mode: CrosshairMode.Normal },
    localization: {
      priceFormatter: formatPrice,
      timeFormatter: (seconds: UTCTimestamp) => formats.moment.format(new Date(seconds * 1_000)),
    },
  });
  const candles = chart.addSeries(CandlestickSeries, {
    ...toCandleOptions(colors),
    priceFormat: { type: "custom", minMove: 10 ** -decimals, formatter: formatPrice },
  });
  const volumes = chart.addSeries(HistogramSeries, {
    ...{ priceScaleId: "", priceLineVisible: false, lastValueVisible: false },
    priceFormat: { type: "custom", minMove: 0.01, formatter: options.volume.format },
  });
  chart.priceScale("").applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  chart.priceScale("right").applyOptions({ scaleMargins: { top: 0.08, bottom: 0.24 } });
  let overlays: Overlays | null = null;
  let isStopped = false;
  // The candles do not wait for what is drawn over them.
  importFile(() => import("./createOverlays.ts")).then(
    ({ createOverlays }) => {
      if (isStopped) return;
      overlays = createOverlays(chart, candles);
      overlays.show(drawn, colors);
      overlays.redraw();
    },
    () => {},
  );

  let shown: readonly Candle[] = [];
  let drawn: ChartOverlays = noOverlays;
  const toBar = ({ t, o, h, l, c }: Candle) => ({
    ...{ time: t as UTCTimestamp, open: o, high: h, low: l, close: c },
  });
  const toVolume = (candle: Candle) => ({
    ...{ time: candle.t as UTCTimestamp, value: options.volume.read(candle) },
    // Theme colours are #rrggbb; two more digits add transparency, so that the grid stays visible.
    color: `${candle.c >= candle.o ? colors.buy : colors.sell}66`,
  });
  const showAll = () => {
    candles.setData(shown.map(toBar));
    volumes.setData(shown.map(toVolume));
  };

  const onRange = (range: { from: number } | null) => {
    if (range !== null && shown.length > 0 && range.from < loadAheadBars) options.onOlder();
  };
  chart.timeScale().subscribeVisibleLogicalRangeChange(onRange);

  let pointed: number | null = null;
  const onPoint = ({ time }: { time?: Time }) => {
    const next = (time as UTCTimestamp | undefined) ?? null;
    if (next === pointed) return;
    pointed = next;
    options.onPoint(next);
  };
  chart.subscribeCrosshairMove(onPoint);
  // A tap moves no crosshair.
  chart.subscribeClick(onPoint);

  const theme = new MutationObserver(() => {
    colors = readColors();
    chart.applyOptions(toChartOptions(colors));
    candles.applyOptions(toCandleOptions(colors));
    showAll();
    overlays?.show(drawn, colors);
  });
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });

  /** Shows all of few candles from the left edge, so that the space beside them is for the next ones. */
  const showAllBars = () => {
    const fitting = Math.max(shown.length, Math.ceil(element.clientWidth / maxBarWidth));
    chart.timeScale().setVisibleLogicalRange({ from: -0.5, to: fitting + 0.5 });
  };

  /** Draws candles, and the overlays with them. */
  const showCandles = (next: readonly Candle[]) => {
    const last = shown.length - 1;
    const isContinued =
      last >= 0 && next.length > last && shown.every((one, index) => index === last || one === next[index]);
    shown = next;
    if (!isContinued || next[last]!.t !== candles.data().at(-1)?.time) return showAll();
    for (const candle of next.slice(last)) {
      candles.update(toBar(candle));
      volumes.update(toVolume(candle));
    }
  };

  return {
    show(next, nextOverlays = noOverlays) {
      if (next === shown && nextOverlays === drawn) return;
      const isFirst = shown.length === 0;
      if (nextOverlays !== drawn) overlays?.show(nextOverlays, colors);
      if (next === shown) overlays?.redraw();
      else showCandles(next);
      if (nextOverlays.isLogarithmic !== drawn.isLogarithmic) {
        const mode = nextOverlays.isLogarithmic ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal;
        chart.priceScale("right").applyOptions({ mode });
      }
      drawn = nextOverlays;
      if (isFirst && next.length > 0 && next.length < minBars) showAllBars();
    },
    stop() {
      isStopped = true;
      if (pointed !== null) options.onPoint(null);
      theme.disconnect();
      chart.remove();
    },
  };
}
