import type { IndexedToken, IndexedTokens } from "@slipway/protocol/indexed";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { getImageUrl } from "../../data/getImageUrl.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatCount, formatUsd, unknown } from "../../format/figures.ts";
import type { Messages } from "../../messages/en.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { WarningMark } from "../../ui/icon.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";

/** The columns of the token table. A phone shows name, volume, price and change; wider pages add the rest. */
function createColumns(text: Messages["explore"]["columns"], quote: IndexedTokens["quote"]): Column<IndexedToken>[] {
  const toPrice = (token: IndexedToken) => (quote === "usd" ? token.price_usd : token.price_eth);
  return [
    {
      key: "rank",
      header: "#",
      priority: "md",
      className: "w-12 text-muted",
      render: (_, index) => index + 1,
    },
    { key: "token", header: text.token, render: (token) => <TokenName token={token} /> },
    {
      key: "price",
      header: text.price,
      numeric: true,
      render: (token) => (
        <span className="flex flex-col items-end">
          <Price value={toPrice(token)} quote={quote} className="font-semibold" />
          <Percent value={token.price_change_24h_pct} className="text-xs sm:hidden" />
        </span>
      ),
    },
    {
      key: "change",
      header: text.change,
      numeric: true,
      priority: "sm",
      render: (token) => <Percent value={token.price_change_24h_pct} />,
    },
    {
      key: "volume",
      header: text.volume,
      numeric: true,
      priority: "sm",
      render: (token) => formatUsd(token.volume_24h_usd),
    },
    {
      key: "marketCap",
      header: text.marketCap,
      numeric: true,
      priority: "md",
      render: (token) => formatUsd(token.market_cap_usd),
    },
    {
      key: "liquidity",
      header: text.liquidity,
      numeric: true,
      priority: "lg",
      render: (token) => formatUsd(token.liquidity_usd),
    },
    {
      key: "holders",
      header: text.holders,
      numeric: true,
      priority: "lg",
      render: (token) => formatCount(token.holders),
    },
    {
      key: "age",
      header: text.age,
      numeric: true,
      priority: "lg",
      className: "text-muted",
      render: (token) => (token.launched_at ? <Time value={token.launched_at} /> : unknown),
    },
  ];
}

function TokenName({ token }: { token: IndexedToken }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Avatar address={token.address} image={getImageUrl(token, 64)} size={36} />
      <span className="min-w-0">
        <Link
          to="/t/$address"
          params={{ address: token.address }}
          dir="auto"
          className="line-clamp-2 leading-5 font-semibold wrap-anywhere after:absolute after:inset-0 after:-outline-offset-2"
        >
          {toDisplayText(token.name)}
        </Link>
        <span className="flex items-center gap-1 text-xs text-muted">
          <bdi className="line-clamp-1 break-all">{toDisplayText(token.symbol)}</bdi>
          <span className="shrink-0 sm:hidden">· {formatUsd(token.volume_24h_usd)}</span>
          {token.warnings.map(({ code, message }) => (
            <WarningMark key={code} message={message} />
          ))}
        </span>
      </span>
    </span>
  );
}

type TokenTableProps = { tokens: IndexedTokens | undefined; empty: ReactNode; stale: boolean };

export function TokenTable({ tokens, empty, stale }: TokenTableProps) {
  const { explore } = useMessages();
  const quote = tokens?.quote ?? "usd";
  const columns = useMemo(() => createColumns(explore.columns, quote), [explore.columns, quote]);
  return (
    <DataTable
      caption={explore.caption}
      columns={columns}
      rows={tokens?.items}
      getKey={(token) => token.address}
      empty={empty}
      stale={stale}
    />
  );
}
