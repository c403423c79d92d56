import type { IndexedTrade, IndexedTrades, TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tradePageSize, tradePages } from "../../data/tokenQueries.ts";
import { formatUsd } from "../../format/figures.ts";
import { toExplorerUrl } from "../../format/links.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";
import { TradeSide } from "../../ui/tradeSide.tsx";
import { TransactionLink } from "../../ui/transactionLink.tsx";

/** More rows than are visible. Each block with a trade lays out all rendered rows again. */
const firstRows = 20;

/** The page of the newest trades in a token's detail. A full page can have a next one. */
function toFirstPage({ trades: items }: TokenDetail): IndexedTrades {
  return { items, next_before: items.length < tradePageSize ? null : items.at(-1)!.id };
}

/** All trades of a token, newest first. Live trades appear at the top; older ones load on demand. */
export function TradeTape({ token, stale }: { token: TokenDetail; stale: boolean }) {
  const texts = useMessages().token;
  const [isWhole, setWhole] = useState(false);
  const query = useInfiniteQuery({
    ...tradePages(token.address),
    // The token's detail already contains the newest trades.
    initialData: { pages: [toFirstPage(token)], pageParams: [null] },
  });
  const trades = query.data.pages.flatMap(({ items }) => items);
  const columns: Column<IndexedTrade>[] = [
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
      render: ({ token_amount }) => <Amount value={token_amount} decimals={token.decimals} />,
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
      render: ({ tx_hash }) => (
        <TransactionLink hash={tx_hash} url={toExplorerUrl(token.links.explorer, "tx", tx_hash)} />
      ),
    },
    // The last column is visible at every width, because the table's padding is there.
    {
      key: "time",
      header: texts.time,
      numeric: true,
      render: ({ block_timestamp }) => <Time value={block_timestamp} className="text-muted" />,
    },
  ];
  return (
    <section
      aria-label={texts.trades}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must also scroll by keyboard
      tabIndex={0}
      className="max-h-[36rem] overflow-y-auto"
      onScroll={() => setWhole(true)}
    >
      <DataTable
        caption={texts.tradesCaption}
        columns={columns}
        rows={isWhole ? trades : trades.slice(0, firstRows)}
        getKey={({ id }) => id}
        empty={texts.tradesEmpty}
        stale={stale}
        rowClassName="h-10"
      />
      {query.isError ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-4" /> : null}
      {query.hasNextPage ? (
        <div className="p-4 text-center">
          <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {texts.older}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
