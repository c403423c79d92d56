import {
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  HistogramSeries,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { formatPrice } from "../format/price.ts";

const formats = {
  year: new Intl.DateTimeFormat("en", { year: "numeric" }),
  month: new Intl.DateTimeFormat("en", { month: "short" }),
  day: new Intl.DateTimeFormat("en", { day: "numeric", month: "short" }),
  time: new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  moment: new Intl.DateTimeFormat("en", {
    ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  }),
};

/** Formats a tick of the time axis in local time, because the library uses UTC. */
function formatTick(seconds: number, type: TickMarkType): string {
  const date = new Date(seconds * 1_000);
  if (type === TickMarkType.Year) return formats.year.format(date);
  if (type === TickMarkType.Month) return formats.month.format(date);
  return (type === TickMarkType.DayOfMonth ? formats.day : formats.time).format(date);
}

/** The minimum number of candle widths in a chart, so that few candles do not become wide. */
const minBars = 60;
/** Requests older candles if fewer remain beyond the left edge. */
const loadAheadBars = 30;
const decimals = 12;

const readColors = () => {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return { text: read("muted"), line: read("line"), buy: read("buy"), sell: read("sell"), font: style.fontFamily };
};
type Colors = ReturnType<typeof readColors>;

const toChartOptions = ({ text, line, font }: Colors) => ({
  layout: {
    background: { type: ColorType.Solid, color: "transparent" },
    ...{ textColor: text, fontFamily: font, fontSize: 12 },
    // The logo would add a style element, which the CSP blocks; the page has a link instead.
    attributionLogo: false,
  },
  grid: { vertLines: { visible: false }, horzLines: { color: line } },
  rightPriceScale: { borderColor: line, entireTextOnly: true },
  timeScale: {
    ...{ borderColor: line, timeVisible: true, secondsVisible: false, rightOffset: 4 },
    tickMarkFormatter: (time: Time, type: TickMarkType) => formatTick(time as UTCTimestamp, type),
  },
});
const toCandleOptions = ({ buy, sell }: Colors) => ({
  ...{ upColor: buy, borderUpColor: buy, wickUpColor: buy },
  ...{ downColor: sell, borderDownColor: sell, wickDownColor: sell },
});

/** A candle: `t` is its open time in Unix seconds. */
export type ChartCandle = { t: number; o: number; h: number; l: number; c: number };

/** The volume bars: their value, and its text on the axis. */
export type ChartVolume<Candle> = { read: (candle: Candle) => number; format: (value: number) => string };

export type PriceChart<Candle> = {
  /** Shows candles, oldest first. Updates only the newest candles if the others are unchanged. */
  show(candles: readonly Candle[]): void;
  stop(): void;
};

/**
 * Draws candles and volume into an element, in the element's size and the page's theme.
 *
 * @param onOlder - Called near the left edge.
 */
export function createPriceChart<Candle extends ChartCandle>(
  element: HTMLElement,
  options: { volume: ChartVolume<Candle>; onOlder: () => void },
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

  let shown: readonly Candle[] = [];
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

  const theme = new MutationObserver(() => {
    colors = readColors();
    chart.applyOptions(toChartOptions(colors));
    candles.applyOptions(toCandleOptions(colors));
    showAll();
  });
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });

  return {
    show(next) {
      const last = shown.length - 1;
      const isContinued =
        last >= 0 && next.length > last && shown.every((one, index) => index === last || one === next[index]);
      const isFirst = last < 0;
      shown = next;
      if (isContinued && next[last]!.t === candles.data().at(-1)?.time) {
        for (const candle of next.slice(last)) {
          candles.update(toBar(candle));
          volumes.update(toVolume(candle));
        }
        return;
      }
      showAll();
      if (isFirst && next.length > 0 && next.length < minBars) {
        chart.timeScale().setVisibleLogicalRange({ from: next.length - minBars, to: next.length + 3 });
      }
    },
    stop() {
      theme.disconnect();
      chart.remove();
    },
  };
}
