import type { MarketItem } from "@slipway/protocol/markets";
import { useMessages } from "../../messages/useMessages.ts";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";
import { MarketName } from "./marketName.tsx";
import { MarketStatus } from "./marketStatus.tsx";

type MarketTableProps = { markets: readonly MarketItem[] | undefined; stale: boolean };

/** Stale figures are grey but readable; an unavailable market has no figures. */
const toTone = ({ status }: MarketItem) => (status === "fresh" ? "" : "text-muted");

/** The markets. Each row links to its market's page. */
export function MarketTable({ markets, stale }: MarketTableProps) {
  const { markets: text } = useMessages();
  const columns: Column<MarketItem>[] = [
    {
      key: "market",
      header: text.columns.market,
      render: (market) => (
        <>
          <MarketName market={market} cover />
          <MarketStatus status={market.status} reason={market.reason} className="text-xs sm:hidden" />
        </>
      ),
    },
    {
      ...{ key: "price", header: text.columns.price, numeric: true },
      render: (market) => <Price value={market.price} quote="" className={`font-semibold ${toTone(market)}`} />,
    },
    {
      ...{ key: "change", header: text.columns.change, numeric: true },
      render: (market) => (
        <Percent
          value={market.change_24h === null ? null : market.change_24h * 100}
          className={market.status === "fresh" ? "" : "grayscale"}
        />
      ),
    },
    {
      ...{ key: "status", header: text.columns.status, priority: "sm", className: "sm:ps-8" },
      render: ({ status, reason }) => <MarketStatus status={status} reason={reason} />,
    },
    {
      ...{ key: "source", header: text.columns.source, priority: "md" },
      render: ({ source, exchange }) => (exchange === null ? text.sources[source] : text.exchange(exchange)),
    },
    {
      ...{ key: "last", header: text.columns.lastBar, numeric: true, priority: "lg" },
      render: ({ last_bar_at }) => (last_bar_at === null ? "—" : <Time value={last_bar_at} className="text-muted" />),
    },
  ];
  return (
    <DataTable
      caption={text.caption}
      rows={markets}
      columns={columns}
      getKey={({ pair }) => pair}
      skeletonRows={5}
      stale={stale}
      empty={text.empty}
    />
  );
}
