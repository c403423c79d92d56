import type { TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../../data/queries.ts";
import { traderPages } from "../../data/tokenQueries.ts";
import { formatUsd } from "../../format/figures.ts";
import { withDecimalSign } from "../../format/locale.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MoreButton } from "../../ui/moreButton.tsx";
import { Price } from "../../ui/price.tsx";
import { Segments } from "../../ui/segments.tsx";

type Trader = Answer<"listTokenTraders">["items"][number];
type Sort = "realized" | "unrealized";

/** The accounts with the largest profit by moving average cost, realized or by what the pool would pay now. */
export function TraderList({ token, stale }: { token: TokenDetail; stale: boolean }) {
  const texts = useMessages().token;
  const [sort, setSort] = useState<Sort>("realized");
  const options = traderPages(token.address, sort);
  const query = useInfiniteQuery(options);
  useLiveRefetch(options.queryKey, token.address);
  const first = query.data?.pages[0];
  const columns: Column<Trader>[] = [
    { key: "account", header: texts.account, render: ({ address }) => <Address value={address} /> },
    {
      key: "amount",
      header: texts.held,
      numeric: true,
      priority: "md",
      render: ({ amount }) => <Amount value={amount} decimals={token.decimals} />,
    },
    {
      key: "cost",
      header: texts.averageCost,
      numeric: true,
      priority: "md",
      render: ({ average_cost_usd, average_cost_eth }) =>
        average_cost_usd === null ? <Price value={average_cost_eth} quote="eth" /> : <Price value={average_cost_usd} />,
    },
    {
      key: "realized",
      header: texts.realized,
      numeric: true,
      render: ({ realized_usd, realized_eth }) => <Profit usd={realized_usd} eth={realized_eth} />,
    },
    {
      key: "unrealized",
      header: texts.unrealized,
      numeric: true,
      render: ({ unrealized_usd, unrealized_eth }) => <Profit usd={unrealized_usd} eth={unrealized_eth} />,
    },
  ];
  if (query.isError && first === undefined)
    return <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-4" />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 pb-3">
        <Segments
          label={texts.traderSort}
          value={sort}
          items={(["realized", "unrealized"] as const).map((value) => ({ value, label: texts[value] }))}
          onChange={setSort}
        />
        <p className="min-w-0 flex-1 basis-60 text-xs text-muted">{texts.tradersHint}</p>
      </div>
      <DataTable
        caption={texts.tradersCaption}
        columns={columns}
        rows={query.data?.pages.flatMap(({ items }) => items)}
        getKey={({ address }) => address}
        empty={sort === "realized" ? texts.tradersNoSell : texts.tradesEmpty}
        stale={stale || query.isError}
        rowClassName="h-10"
      />
      <MoreButton query={query} label={texts.more} />
    </>
  );
}

/** A profit with its sign, in USD if its value is known. */
function Profit({ usd, eth }: { usd: number | null; eth: number }) {
  const value = usd ?? eth;
  const tone = value === 0 ? "" : value > 0 ? "text-buy" : "text-sell";
  const sign = value > 0 ? "+" : "";
  const text = usd === null ? `${withDecimalSign(eth.toFixed(4)).replace("-", "−")} ETH` : formatUsd(usd);
  return <span className={`font-semibold whitespace-nowrap ${tone}`}>{`${sign}${text}`}</span>;
}
