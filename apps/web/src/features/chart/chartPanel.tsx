import type { CandleInterval, IndexedCandle, TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import { candlePages } from "../../data/tokenQueries.ts";
import { formatUsd } from "../../format/figures.ts";
import { formatPrice, toPriceParts } from "../../format/price.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { CandleTable } from "../../ui/candleTable.tsx";
import type { ChartVolume } from "../../ui/createPriceChart.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

const intervals = ["1m", "5m", "1h", "1d"] as const satisfies CandleInterval[];
const items = intervals.map((value) => ({ value, label: value }));

const ChartCanvas = lazyPart(
  () => import("../../ui/chartCanvas.tsx"),
  (module) => module.ChartCanvas<IndexedCandle>,
);

const volumes: Readonly<Record<"usd" | "eth", ChartVolume<IndexedCandle>>> = {
  usd: { read: ({ v }) => v ?? 0, format: formatUsd },
  eth: { read: ({ vq }) => vq, format: (value) => `${formatPrice(value)} ETH` },
};

const toVolume = ({ v, vq }: IndexedCandle) => (v === null ? `${toPriceParts(vq).plain} ETH` : formatUsd(v));

type ChartPanelProps = {
  token: Pick<TokenDetail, "address" | "symbol">;
  interval: CandleInterval;
  onInterval: (interval: CandleInterval) => void;
  stale: boolean;
};

/** Candles and volume of a token. Live messages update it; it loads older candles near the left edge. */
export function ChartPanel({ token, interval, onInterval, stale }: ChartPanelProps) {
  const { chart } = useMessages();
  const query = useInfiniteQuery(candlePages(token.address, interval));
  const pages = query.data?.pages ?? [];
  // The first page is the newest. Older pages in another currency are excluded, because one axis cannot show both.
  const quote = pages[0]?.quote ?? "usd";
  const candles = pages.filter((page) => page.quote === quote).flatMap((_, index, all) => all.at(-1 - index)!.items);
  const loadOlder = () => {
    if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
  };
  const unit = quote === "usd" ? "USD" : "ETH";
  return (
    <section aria-label={chart.title} className="panel overflow-hidden">
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 px-4 py-2">
        <h2 className="text-base font-bold">
          {chart.title} <span className="text-sm font-normal text-muted">{unit}</span>
        </h2>
        <Segments label={chart.interval} value={interval} items={items} onChange={onInterval} />
      </div>
      {quote === "eth" ? <p className="px-4 pb-2 text-sm text-warn">{chart.inEth}</p> : null}
      <div
        className={`relative h-72 sm:h-96 lg:h-[28rem] ${stale && candles.length > 0 ? "opacity-60 grayscale" : ""}`}
      >
        {query.isError && pages.length === 0 ? (
          <ErrorNote error={query.error} title={chart.failed} onRetry={() => void query.refetch()} className="m-4" />
        ) : query.isSuccess && candles.length === 0 ? (
          <p className="flex h-full items-center justify-center px-4 text-center text-sm text-muted">{chart.empty}</p>
        ) : candles.length === 0 ? (
          <Skeleton className="mx-4 h-[calc(100%-1rem)]" />
        ) : (
          <ChartCanvas
            key={`${token.address} ${interval}`}
            fallback={<Skeleton className="mx-4 h-[calc(100%-1rem)]" />}
            candles={candles}
            volume={volumes[quote]}
            onOlder={loadOlder}
          />
        )}
      </div>
      <CandleTable candles={candles} caption={chart.table(token.symbol, unit)} volume={toVolume} />
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
