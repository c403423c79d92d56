import { useEffect, useRef } from "react";
import type { ChartOverlays } from "./chartOverlays.ts";
import { type ChartCandle, type ChartVolume, createPriceChart, type PriceChart } from "./createPriceChart.ts";

type ChartCanvasProps<Candle> = {
  candles: readonly Candle[];
  /** Pass a constant: a new value recreates the chart. */
  volume: ChartVolume<Candle>;
  /** Pass the same object until the overlays change. */
  overlays?: ChartOverlays;
  onOlder: () => void;
  /** Called with the open time of the candle under the pointer, or of the tapped candle; null beside the candles. */
  onPoint?: ((t: number | null) => void) | undefined;
};

/** The chart of candles and volume. Import it lazily, because it loads the chart library. */
export function ChartCanvas<Candle extends ChartCandle>(props: ChartCanvasProps<Candle>) {
  const { candles, volume, overlays, onOlder, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart<Candle> | null>(null);
  const latest = useRef({ candles, overlays, onOlder, onPoint });
  useEffect(() => {
    latest.current = { candles, overlays, onOlder, onPoint };
    chart.current?.show(candles, overlays);
  });
  useEffect(() => {
    const created = createPriceChart<Candle>(element.current!, {
      volume,
      onOlder: () => latest.current.onOlder(),
      onPoint: (t) => latest.current.onPoint?.(t),
    });
    created.show(latest.current.candles, latest.current.overlays);
    chart.current = created;
    return () => {
      chart.current = null;
      created.stop();
    };
  }, [volume]);
  return <div ref={element} aria-hidden="true" className="h-full w-full" />;
}
