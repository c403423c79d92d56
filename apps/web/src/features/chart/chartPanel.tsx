import type { IndexedCandle, ListedInterval, TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { candlePages, isStreamed } from "../../data/tokenQueries.ts";
import { formatUsd } from "../../format/figures.ts";
import { formatPrice, toPriceParts } from "../../format/price.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { CandleTable } from "../../ui/candleTable.tsx";
import type { ChartMark, ChartOverlays } from "../../ui/chartOverlays.ts";
import type { ChartVolume } from "../../ui/createPriceChart.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ChartControls } from "./chartControls.tsx";
import { type ChartSettings, getUnit, loadChartSettings, saveChartSettings } from "./chartSettings.ts";
import { scaleCandles, toEthCandles, toLines } from "./shownCandles.ts";
import { useTradeMarks } from "./useTradeMarks.ts";

const ChartCanvas = lazyPart(
  () => import("../../ui/chartCanvas.tsx"),
  (module) => module.ChartCanvas<IndexedCandle>,
);

const volumes: Readonly<Record<"usd" | "eth", ChartVolume<IndexedCandle>>> = {
  usd: { read: ({ v }) => v ?? 0, format: formatUsd },
  eth: { read: ({ vq }) => vq, format: (value) => `${formatPrice(value)} ETH` },
};

const noMarks: readonly ChartMark[] = [];

const toVolume = ({ v, vq }: IndexedCandle) => (v === null ? `${toPriceParts(vq).plain} ETH` : formatUsd(v));

const LiquidityMarks = lazyPart(
  () => import("./liquidityMarks.tsx"),
  (module) => module.LiquidityMarks,
);

type ChartPanelProps = {
  token: Pick<TokenDetail, "address" | "symbol" | "creator" | "launched_at" | "total_supply" | "decimals">;
  interval: ListedInterval;
  /** Pass the same function, because the controls render if it changes. */
  onInterval: (interval: ListedInterval) => void;
  /** The connected wallet, whose trades are marked. */
  wallet: string | null;
  stale: boolean;
};

/** Candles and volume of a token. Live messages update it; it loads older candles near the left edge. */
export function ChartPanel({ token, interval, onInterval, wallet, stale }: ChartPanelProps) {
  const { chart } = useMessages();
  const [settings, setSettings] = useState(() => loadChartSettings(localStorage));
  const change = useCallback((next: ChartSettings) => {
    setSettings(next);
    saveChartSettings(localStorage, next);
  }, []);
  const options = candlePages(token.address, interval);
  const query = useInfiniteQuery(options);
  // The stream has no candles of the other intervals: a trade reads them again.
  useLiveRefetch(options.queryKey, isStreamed(interval) ? null : token.address);
  const pages = query.data?.pages ?? [];
  // The first page is the newest. Older pages in another currency are excluded, because one axis cannot show both.
  const quote = pages[0]?.quote ?? "usd";
  const unit = getUnit(settings, quote);
  const supply = Number(token.total_supply) / 10 ** token.decimals;
  const candles = useMemo(() => {
    const all = query.data?.pages ?? [];
    const same = all.filter((page) => page.quote === quote).flatMap((_, index, list) => list.at(-1 - index)!.items);
    const inUnit = unit === quote ? same : toEthCandles(same);
    return settings.value === "cap" ? scaleCandles(inUnit, supply) : inUnit;
  }, [query.data, quote, unit, settings.value, supply]);
  const { shown, isLogarithmic } = settings;
  const isOwnToken = wallet !== null && token.creator?.toLowerCase() === wallet.toLowerCase();
  const own = useTradeMarks(token.address, shown.includes("own") ? wallet : null, chart.ownMark, candles);
  const creator = shown.includes("creator") && !(isOwnToken && shown.includes("own")) ? token.creator : null;
  const creatorMarks = useTradeMarks(token.address, creator, chart.creatorMark, candles);
  const isLiquidityShown = shown.includes("liquidity");
  const [liquidity, setLiquidity] = useState<readonly ChartMark[]>(noMarks);
  const [pointed, setPointed] = useState<number | null>(null);
  // The open of a candle is the price before it, so the first candle opens at the launch price.
  const launchPrice = query.hasNextPage ? null : (candles[0]?.o ?? null);
  const overlays = useMemo(
    (): ChartOverlays => ({
      lines: toLines(candles, shown),
      marks: [...own, ...creatorMarks, ...liquidity],
      level: launchPrice === null ? null : { price: launchPrice, title: chart.launchPrice },
      isLogarithmic,
    }),
    [candles, shown, own, creatorMarks, liquidity, launchPrice, isLogarithmic, chart.launchPrice],
  );
  const loadOlder = () => {
    if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
  };
  return (
    <section aria-label={chart.title} className="panel">
      <h2 className="sr-only">{chart.title}</h2>
      <ChartControls
        launchedAt={token.launched_at}
        interval={interval}
        onInterval={onInterval}
        settings={settings}
        quote={quote}
        onChange={change}
      />
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
            key={`${token.address} ${interval} ${unit} ${settings.value}`}
            fallback={<Skeleton className="mx-4 h-[calc(100%-1rem)]" />}
            candles={candles}
            volume={volumes[unit]}
            overlays={overlays}
            onOlder={loadOlder}
            onPoint={isLiquidityShown ? setPointed : undefined}
          />
        )}
        {isLiquidityShown && candles.length > 0 ? (
          <LiquidityMarks token={token} candles={candles} pointed={pointed} onMarks={setLiquidity} />
        ) : null}
      </div>
      <CandleTable candles={candles} caption={chart.table(token.symbol, unit.toUpperCase())} volume={toVolume} />
      <ChartLegend shown={shown} />
    </section>
  );
}

const legend = { sma20: "bg-accent", sma50: "bg-split-2", vwap: "bg-split-3" } as const;

/** The names of the shown lines, and the notice of the chart library. */
function ChartLegend({ shown }: { shown: readonly string[] }) {
  const { chart } = useMessages();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-xs text-muted">
      {(Object.keys(legend) as (keyof typeof legend)[])
        .filter((name) => shown.includes(name))
        .map((name) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`h-0.5 w-4 ${legend[name]}`} />
            {chart.extras[name]}
          </span>
        ))}
      {shown.includes("liquidity") ? <span>{chart.liquidityLegend}</span> : null}
      <a
        href="https://www.tradingview.com/"
        target="_blank"
        rel="noopener noreferrer"
        className="ms-auto underline underline-offset-2 hover:text-ink"
      >
        {chart.attribution}
      </a>
    </div>
  );
}
