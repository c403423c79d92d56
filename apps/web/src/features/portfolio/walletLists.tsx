import type { IndexedWallet } from "@slipway/protocol/people";
import type { ReactNode } from "react";
import { toDisplayText } from "../../format/displayText.ts";
import { formatShare, formatUsd, shortenAddress } from "../../format/figures.ts";
import { formatFraction } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";
import { TradeSide } from "../../ui/tradeSide.tsx";
import { TokenLink } from "./tokenLink.tsx";

/** Decimals of every asset of a launch: the token and the wrapped native. */
const decimals = 18;

type ListProps<Row> = {
  rows: readonly Row[] | undefined;
  stale: boolean;
  /** The next step of an empty list. */
  next: ReactNode;
};

const createEmpty = (text: string, next: ReactNode) => (
  <div className="flex flex-col items-center gap-3">
    <p className="max-w-md">{text}</p>
    {next}
  </div>
);
type Texts = ReturnType<typeof useMessages>["portfolio"];

const token = <Row extends { token: IndexedWallet["holdings"][number]["token"] }>(texts: Texts): Column<Row> => ({
  key: "token",
  header: texts.token,
  render: (row) => <TokenLink token={row.token} />,
});

type Holding = IndexedWallet["holdings"][number];

export function HoldingList({ rows, stale, next }: ListProps<Holding>) {
  const { portfolio: texts } = useMessages();
  const columns: Column<Holding>[] = [
    token(texts),
    {
      ...{ key: "amount", header: texts.amount, numeric: true },
      render: ({ amount }) => <Amount value={amount} decimals={decimals} />,
    },
    {
      ...{ key: "share", header: texts.share, numeric: true, priority: "sm" },
      render: ({ share_of_supply }) => formatFraction(share_of_supply),
    },
    { key: "value", header: texts.value, numeric: true, render: ({ value_usd }) => formatUsd(value_usd) },
  ];
  const shared = { caption: texts.holdings, empty: createEmpty(texts.holdingsEmpty, next), rows, stale };
  return <DataTable {...shared} columns={columns} getKey={(row) => row.token.address} skeletonRows={5} />;
}

type Launch = IndexedWallet["launches"][number];

export function LaunchList({ rows, stale, next }: ListProps<Launch>) {
  const { portfolio: texts } = useMessages();
  const columns: Column<Launch>[] = [
    token(texts),
    {
      ...{ key: "market_cap", header: texts.marketCap, numeric: true },
      render: ({ market_cap_usd }) => formatUsd(market_cap_usd),
    },
    {
      ...{ key: "launched", header: texts.launchedAt, numeric: true },
      render: ({ launched_at }) => <Time value={launched_at} />,
    },
  ];
  const shared = { caption: texts.launches, empty: createEmpty(texts.launchesEmpty, next), rows, stale };
  return <DataTable {...shared} columns={columns} getKey={(row) => row.token.address} skeletonRows={5} />;
}

type Receipt = IndexedWallet["recipient_of"][number];

function Claimable({ row }: { row: Receipt }): ReactNode {
  const shown = row.claimable.filter(({ amount }) => amount !== "0");
  if (shown.length === 0) return "0";
  return (
    <span className="flex flex-col items-end">
      {shown.map(({ asset, amount }) => {
        const isToken = asset.toLowerCase() === row.token.address.toLowerCase();
        return (
          <span key={asset} title={shortenAddress(asset)} className="line-clamp-2 max-w-60">
            <Amount value={amount} decimals={decimals} />{" "}
            <bdi className="break-all">{isToken ? toDisplayText(row.token.symbol) : "WETH"}</bdi>
          </span>
        );
      })}
    </span>
  );
}

export function ReceiptList({ rows, stale, next }: ListProps<Receipt>) {
  const { portfolio: texts } = useMessages();
  const columns: Column<Receipt>[] = [
    token(texts),
    { key: "share", header: texts.feeShare, numeric: true, render: ({ share_bps }) => formatShare(share_bps) },
    { key: "claimable", header: texts.claimable, numeric: true, render: (row) => <Claimable row={row} /> },
  ];
  const shared = { caption: texts.receipts, empty: createEmpty(texts.receiptsEmpty, next), rows, stale };
  return (
    <DataTable
      {...shared}
      columns={columns}
      getKey={(row) => `${row.token.address} ${row.splitter}`}
      skeletonRows={5}
    />
  );
}

type Trade = IndexedWallet["trades"][number];

export function WalletTradeList({ rows, stale, next }: ListProps<Trade>) {
  const { portfolio: texts } = useMessages();
  const columns: Column<Trade>[] = [
    token(texts),
    { key: "side", header: texts.side, render: ({ side }) => <TradeSide side={side} label={texts[side]} /> },
    {
      ...{ key: "price", header: texts.price, numeric: true, priority: "md" },
      render: ({ price_usd, price_eth }) =>
        price_usd === null ? <Price value={price_eth} quote="eth" /> : <Price value={price_usd} />,
    },
    {
      ...{ key: "amount", header: texts.amount, numeric: true, priority: "md" },
      render: ({ token_amount }) => <Amount value={token_amount} decimals={decimals} />,
    },
    {
      ...{ key: "time", header: texts.time, numeric: true, priority: "sm" },
      render: ({ block_timestamp }) => <Time value={block_timestamp} />,
    },
    {
      ...{ key: "value", header: texts.value, numeric: true },
      render: ({ volume_usd, quote_amount }) =>
        volume_usd === null ? <Amount value={quote_amount} decimals={decimals} symbol="ETH" /> : formatUsd(volume_usd),
    },
  ];
  const shared = { caption: texts.trades, empty: createEmpty(texts.tradesEmpty, next), rows, stale };
  return <DataTable {...shared} columns={columns} getKey={(row) => row.id} skeletonRows={5} />;
}
