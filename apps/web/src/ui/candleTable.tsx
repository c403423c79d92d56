import { memo } from "react";
import { toDisplayText } from "../format/displayText.ts";
import { toPriceParts } from "../format/price.ts";
import { formatCompleteTime } from "../format/time.ts";
import { useMessages } from "../messages/useMessages.ts";
import type { ChartCandle } from "./createPriceChart.ts";

const rows = 20;

type CandleRowProps<Candle> = { candle: Candle; volume: (candle: Candle) => string };

function DrawnRow<Candle extends ChartCandle>({ candle, volume }: CandleRowProps<Candle>) {
  const price = (value: number) => toPriceParts(value).plain;
  return (
    <tr>
      <th scope="row">{formatCompleteTime(new Date(candle.t * 1_000))}</th>
      <td>{price(candle.o)}</td>
      <td>{price(candle.h)}</td>
      <td>{price(candle.l)}</td>
      <td>{price(candle.c)}</td>
      <td>{volume(candle)}</td>
    </tr>
  );
}

/** Renders only if its candle changes, because every message of the stream renders the table. */
const CandleRow = memo(DrawnRow) as typeof DrawnRow;

type CandleTableProps<Candle> = {
  candles: readonly Candle[];
  caption: string;
  /** Formats a candle's volume. Pass a constant. */
  volume: (candle: Candle) => string;
};

/** The newest candles as a table for screen readers. */
export function CandleTable<Candle extends ChartCandle>({ candles, caption, volume }: CandleTableProps<Candle>) {
  const { chart } = useMessages();
  return (
    <div className="sr-only">
      <table>
        <caption>{toDisplayText(caption)}</caption>
        <thead>
          <tr>
            {[chart.time, chart.open, chart.high, chart.low, chart.close, chart.volume].map((header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {candles
            .slice(-rows)
            .toReversed()
            .map((candle) => (
              <CandleRow key={candle.t} candle={candle} volume={volume} />
            ))}
        </tbody>
      </table>
    </div>
  );
}
