import { useEffect, useRef } from "react";
import { type ChartCandle, type ChartVolume, createPriceChart, type PriceChart } from "./createPriceChart.ts";

type ChartCanvasProps<Candle> = {
  candles: readonly Candle[];
  /** Pass a constant: a new value recreates the chart. */
  volume: ChartVolume<Candle>;
  onOlder: () => void;
};

/** The chart of candles and volume. Import it lazily, because it loads the chart library. */
export function ChartCanvas<Candle extends ChartCandle>({ candles, volume, onOlder }: ChartCanvasProps<Candle>) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart<Candle> | null>(null);
  const latest = useRef({ candles, onOlder });
  useEffect(() => {
    latest.current = { candles, onOlder };
    chart.current?.show(candles);
  });
  useEffect(() => {
    const created = createPriceChart<Candle>(element.current!, {
      volume,
      onOlder: () => latest.current.onOlder(),
    });
    created.show(latest.current.candles);
    chart.current = created;
    return () => {
      chart.current = null;
      created.stop();
    };
  }, [volume]);
  return <div ref={element} aria-hidden="true" className="h-full w-full" />;
}
