import { Link } from "@tanstack/react-router";
import type { Answer } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatCount, formatUsd } from "../../format/figures.ts";
import { formatPercentage } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { Time } from "../../ui/time.tsx";

type Launch = Answer<"getTokenFacts">["earlier_launches"][number];

/** The creator's launches before this one, and what became of them. */
export function EarlierLaunches({ launches, total }: { launches: readonly Launch[]; total: number | null }) {
  const texts = useMessages().facts;
  const title = texts.earlier(total === null ? texts.unknown : formatCount(total));
  const columns: Column<Launch>[] = [
    {
      key: "token",
      header: texts.token,
      render: ({ address, name, symbol }) => (
        <Link
          to="/t/$address"
          params={{ address }}
          className="block max-w-[30vw] truncate font-semibold hover:underline sm:max-w-48"
          title={name === null ? address : toDisplayText(name)}
        >
          <bdi>{symbol === null ? texts.removed : toDisplayText(symbol)}</bdi>
        </Link>
      ),
    },
    {
      key: "launched",
      header: texts.launched,
      priority: "sm",
      render: ({ launched_at }) => <Time value={launched_at} />,
    },
    {
      key: "last",
      header: texts.lastTrade,
      numeric: true,
      render: ({ last_trade_at }) => (last_trade_at === null ? texts.never : <Time value={last_trade_at} />),
    },
    {
      key: "liquidity",
      header: texts.liquidity,
      numeric: true,
      render: ({ liquidity_usd }) => formatUsd(liquidity_usd),
    },
    {
      key: "sold",
      header: texts.creatorSold,
      numeric: true,
      render: ({ creator_sold_pct }) => formatPercentage(creator_sold_pct),
    },
  ];
  return (
    <section aria-label={title} className={launches.length === 0 ? "" : "md:col-span-2"}>
      <h3 className="text-sm font-bold">{title}</h3>
      <p className="text-xs text-muted">{launches.length === 0 ? texts.earlierNone : texts.earlierAbout}</p>
      {launches.length === 0 ? null : (
        <div className="-mx-4 tabular-nums">
          <DataTable
            caption={texts.earlierCaption}
            columns={columns}
            rows={launches}
            getKey={({ address }) => address}
            rowClassName="h-10"
          />
        </div>
      )}
    </section>
  );
}
