import type { IndexedTrade, IndexedTrades, TokenDetail } from "@slipway/protocol/indexed";
import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { accountTradePages, tradePageSize, tradePages } from "../../data/tokenQueries.ts";
import { formatUsd } from "../../format/figures.ts";
import { toExplorerUrl } from "../../format/links.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { MoreButton } from "../../ui/moreButton.tsx";
import { moveInRows } from "../../ui/moveInRows.ts";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";
import { TradeSide } from "../../ui/tradeSide.tsx";
import { TransactionLink } from "../../ui/transactionLink.tsx";
import type { TradeFilter } from "./tradeFilters.tsx";

const TradeFilters = lazyPart(
  () => import("./tradeFilters.tsx"),
  (module) => module.TradeFilters,
);

/** More rows than are visible. Each block with a trade lays out all rendered rows again. */
const firstRows = 20;

/** The page of the newest trades in a token's detail. A full page can have a next one. */
function toFirstPage({ trades: items }: TokenDetail): IndexedTrades {
  return { items, next_before: items.length < tradePageSize ? null : items.at(-1)!.id };
}

const everyTrade: TradeFilter = { side: "all", minUsd: 0, account: null };

/** Trades of a token, newest first, by side, size and account. Live trades appear at the top; older ones load on demand. */
export function TradeTape({ token, wallet, stale }: { token: TokenDetail; wallet: string | null; stale: boolean }) {
  const texts = useMessages().token;
  const [isWhole, setWhole] = useState(false);
  const [filter, setFilter] = useState(everyTrade);
  const { account } = filter;
  const all = useInfiniteQuery({
    ...tradePages(token.address),
    // The token's detail already contains the newest trades.
    initialData: { pages: [toFirstPage(token)], pageParams: [null] } as InfiniteData<IndexedTrades, null>,
  });
  // The service selects the trades of one account; they are too rare among all trades.
  const options = accountTradePages(token.address, account ?? "");
  const ofAccount = useInfiniteQuery({ ...options, enabled: account !== null });
  useLiveRefetch(options.queryKey, account === null ? null : token.address);
  const query = account === null ? all : ofAccount;
  const trades = query.data?.pages.flatMap(({ items }) => items).filter((trade) => isShown(trade, filter));
  const isFiltered = filter !== everyTrade;
  const { decimals } = token;
  const { explorer } = token.links;
  const columns = useMemo(() => createColumns(texts, decimals, explorer), [texts, decimals, explorer]);
  return (
    <div>
      <TradeFilters
        filter={filter}
        wallet={wallet}
        onChange={setFilter}
        fallback={<div className="h-[4.75rem] border-b border-line" />}
      />
      <section
        aria-label={texts.trades}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must also scroll by keyboard
        tabIndex={0}
        className="max-h-[36rem] overflow-y-auto"
        onScroll={() => setWhole(true)}
        onKeyDown={moveInRows}
      >
        <DataTable
          caption={texts.tradesCaption}
          columns={columns}
          rows={isWhole ? trades : trades?.slice(0, firstRows)}
          getKey={({ id }) => id}
          empty={isFiltered ? texts.tradesNoMatch : texts.tradesEmpty}
          stale={stale}
          rowClassName="h-10"
        />
        {query.isError ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-4" /> : null}
        <MoreButton query={query} label={texts.older} />
      </section>
    </div>
  );
}

/** Whether a trade has the side and the size of a filter. A trade without a value in USD has no known size. */
function isShown({ side, volume_usd: usd }: IndexedTrade, filter: TradeFilter): boolean {
  return (filter.side === "all" || side === filter.side) && (filter.minUsd === 0 || (usd ?? 0) >= filter.minUsd);
}

function createColumns(
  texts: ReturnType<typeof useMessages>["token"],
  decimals: number,
  explorer: TokenDetail["links"]["explorer"],
): Column<IndexedTrade>[] {
  return [
    { key: "side", header: texts.side, render: ({ side }) => <TradeSide side={side} label={texts[side]} /> },
    {
      key: "price",
      header: texts.price,
      numeric: true,
      render: ({ price_usd, price_eth }) =>
        price_usd === null ? <Price value={price_eth} quote="eth" /> : <Price value={price_usd} />,
    },
    {
      key: "amount",
      header: texts.amount,
      numeric: true,
      priority: "md",
      render: ({ token_amount }) => <Amount value={token_amount} decimals={decimals} />,
    },
    {
      key: "value",
      header: texts.value,
      numeric: true,
      render: ({ volume_usd, quote_amount }) =>
        volume_usd === null ? <Amount value={quote_amount} decimals={18} symbol="ETH" /> : formatUsd(volume_usd),
    },
    {
      key: "account",
      header: texts.account,
      numeric: true,
      priority: "sm",
      render: ({ account }) => <Address value={account} />,
    },
    {
      key: "transaction",
      header: <span className="sr-only">{texts.transaction}</span>,
      numeric: true,
      priority: "lg",
      className: "w-12",
      // The arrow keys reach it: one stop of the Tab key for each row.
      render: ({ tx_hash }) => (
        <TransactionLink hash={tx_hash} url={toExplorerUrl(explorer, "tx", tx_hash)} tabIndex={-1} />
      ),
    },
    // The last column is visible at every width, because the table's padding is there.
    {
      key: "time",
      header: texts.time,
      numeric: true,
      render: ({ block_timestamp }) => (
        <Time value={block_timestamp} className="text-muted max-sm:[:lang(es)_&]:text-xs" />
      ),
    },
  ];
}
