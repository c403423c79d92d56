import type { IndexedToken, IndexedTokens } from "@slipway/protocol/indexed";
import { Link } from "@tanstack/react-router";
import { type ComponentProps, type ReactNode, useMemo, useSyncExternalStore } from "react";
import type { ExploreSearch } from "../../data/exploreSearch.ts";
import { getImageUrl } from "../../data/getImageUrl.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatCount, formatUsd, unknown } from "../../format/figures.ts";
import { loadPageTexts, type Messages } from "../../messages/messages.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { WarningMark } from "../../ui/icon.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";
import { getHiddenColumns, subscribeColumns } from "./columnChoice.ts";

const FavouriteStar = lazyPart(
  () => import("./favouriteStar.tsx"),
  (module) => module.FavouriteStar,
  loadPageTexts,
);

const SortedHead = lazyPart(
  () => import("./order.tsx"),
  (module) => module.SortedHead,
);

/** The columns of the token table. A phone shows name, volume, price and change; wider pages add the rest. */
function createColumns(text: Messages["explore"]["columns"], quote: IndexedTokens["quote"]): Column<IndexedToken>[] {
  const toPrice = (token: IndexedToken) => (quote === "usd" ? token.price_usd : token.price_eth);
  return [
    {
      key: "rank",
      header: "#",
      priority: "md",
      className: "w-14 text-muted",
      render: (_, index) => index + 1,
    },
    { key: "token", header: text.token, render: (token) => <TokenName token={token} /> },
    {
      key: "price",
      header: text.price,
      numeric: true,
      className: "w-28 sm:w-32",
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
      className: "w-24",
      priority: "sm",
      render: (token) => <Percent value={token.price_change_24h_pct} />,
    },
    {
      key: "volume",
      header: text.volume,
      numeric: true,
      className: "w-28",
      priority: "sm",
      render: (token) => formatUsd(token.volume_24h_usd),
    },
    {
      key: "marketCap",
      header: text.marketCap,
      numeric: true,
      className: "w-28",
      priority: "md",
      render: (token) => formatUsd(token.market_cap_usd),
    },
    {
      key: "liquidity",
      header: text.liquidity,
      numeric: true,
      className: "w-28",
      priority: "lg",
      render: (token) => formatUsd(token.liquidity_usd),
    },
    {
      key: "holders",
      header: text.holders,
      numeric: true,
      className: "w-24",
      priority: "lg",
      render: (token) => formatCount(token.holders),
    },
    {
      key: "age",
      header: text.age,
      numeric: true,
      priority: "lg",
      className: "w-28 text-muted",
      render: (token) => (token.launched_at ? <Time value={token.launched_at} /> : unknown),
    },
  ];
}

function TokenName({ token }: { token: IndexedToken }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <FavouriteStar address={token.address} name={toDisplayText(token.name)} fallback={<span className="size-7" />} />
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

type TokenTableProps = Pick<ComponentProps<typeof DataTable>, "start" | "headless"> & {
  tokens: IndexedTokens | undefined;
  empty: ReactNode;
  stale: boolean;
  /** With `onOrder`, the headers change the order. */
  order?: ExploreSearch;
  onOrder?: (order: ExploreSearch) => void;
};

export function TokenTable({ tokens, order, onOrder, ...rest }: TokenTableProps) {
  const { explore } = useMessages();
  const quote = tokens?.quote ?? "usd";
  const hidden = useSyncExternalStore(subscribeColumns, getHiddenColumns, getHiddenColumns);
  const columns = useMemo(
    () => createColumns(explore.columns, quote).filter(({ key }) => !hidden.includes(key)),
    [explore.columns, quote, hidden],
  );
  return (
    <DataTable
      caption={explore.caption}
      columns={columns}
      rows={tokens?.items}
      getKey={(token) => token.address}
      fixed
      renderHead={
        order &&
        onOrder &&
        ((head) => (
          <SortedHead columns={columns} order={order} onOrder={onOrder} fallback={head} renderError={() => head} />
        ))
      }
      {...rest}
    />
  );
}
