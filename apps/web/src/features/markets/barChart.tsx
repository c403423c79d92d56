import type { BarLength, MarketItem } from "@slipway/protocol/markets";
import { useInfiniteQuery } from "@tanstack/react-query";
import { barPages } from "../../data/marketQueries.ts";
import type { Answer } from "../../data/queries.ts";
import { formatPrice, toPriceParts } from "../../format/price.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { CandleTable } from "../../ui/candleTable.tsx";
import type { ChartVolume } from "../../ui/createPriceChart.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

type Bar = Answer<"listMarketBars">["items"][number];

const intervals = ["1m", "1h"] as const satisfies BarLength[];
const items = intervals.map((value) => ({ value, label: value }));

const ChartCanvas = lazyPart(
  () => import("../../ui/chartCanvas.tsx"),
  (module) => module.ChartCanvas<Bar>,
);
/** Volume in the base asset: bars of an exchange always contain it, but may lack other volumes. */
const volume: ChartVolume<Bar> = { read: ({ vb }) => vb, format: formatPrice };

const toVolume = ({ vb }: Bar) => toPriceParts(vb).plain;

type BarChartProps = {
  market: Pick<MarketItem, "pair" | "quote" | "status">;
  interval: BarLength;
  onInterval: (interval: BarLength) => void;
};

/** Closed bars of a market. It loads older bars near the left edge. */
export function BarChart({ market, interval, onInterval }: BarChartProps) {
  const { chart, markets: text } = useMessages();
  const query = useInfiniteQuery({ ...barPages(market.pair, interval), refetchInterval: 30_000 });
  const bars = (query.data?.pages ?? []).flatMap((_, index, all) => all.at(-1 - index)!.items);
  const loadOlder = () => {
    if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
  };
  const waiting = <Skeleton className="mx-4 h-[calc(100%-1rem)]" />;
  return (
    <section aria-label={text.chartTitle} className="panel overflow-hidden">
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 px-4 py-2">
        <h2 className="text-base font-bold">
          {text.chartTitle} <span className="text-sm font-normal text-muted">{market.quote}</span>
        </h2>
        <Segments label={text.chartInterval} value={interval} items={items} onChange={onInterval} />
      </div>
      <div
        className={`relative h-72 sm:h-96 ${market.status !== "fresh" && bars.length > 0 ? "opacity-60 grayscale" : ""}`}
      >
        {query.isError && bars.length === 0 ? (
          <ErrorNote
            error={query.error}
            title={text.chartFailed}
            onRetry={() => void query.refetch()}
            className="m-4"
          />
        ) : query.isSuccess && bars.length === 0 ? (
          <p className="flex h-full items-center justify-center px-4 text-center text-sm text-muted">
            {text.chartEmpty}
          </p>
        ) : bars.length === 0 ? (
          waiting
        ) : (
          <ChartCanvas
            key={`${market.pair} ${interval}`}
            fallback={waiting}
            candles={bars}
            volume={volume}
            onOlder={loadOlder}
          />
        )}
      </div>
      <CandleTable candles={bars} caption={text.chartTable(market.pair)} volume={toVolume} />
      <p className="px-4 py-2 text-end text-xs text-muted">
        <a
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noopener noreferrer"
          className="underline underline-offset-2 hover:text-ink"
        >
          {chart.attribution}
        </a>
      </p>
    </section>
  );
}
