import type { TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Answer } from "../../data/queries.ts";
import { holderPages } from "../../data/tokenQueries.ts";
import { formatCount } from "../../format/figures.ts";
import { formatFraction, formatPercentage } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MoreButton } from "../../ui/moreButton.tsx";

type Holder = Answer<"listTokenHolders">["items"][number];

/** The change of the number of holders, and how the supply is distributed among them. */
function HolderSummary({ token, page }: { token: TokenDetail; page: Answer<"listTokenHolders"> | undefined }) {
  const texts = useMessages().token;
  const { changes = null, distribution = [] } = page ?? {};
  return (
    <div className="grid gap-x-8 gap-y-3 px-4 pb-3 text-sm sm:grid-cols-2">
      <div>
        <p className="text-muted">
          {token.top10_holders_pct === null ? null : texts.top10(formatFraction(token.top10_holders_pct / 100))}
        </p>
        {changes === null ? null : (
          <dl aria-label={texts.holderChange} className="mt-2 flex gap-6">
            {(["h1", "h24", "d7"] as const).map((name) => (
              <div key={name} title={texts.cameLeft(formatCount(changes[name].came), formatCount(changes[name].left))}>
                <dt className="text-xs text-muted">{texts.changeWindow[name]}</dt>
                <dd
                  className={`font-semibold ${changes[name].net === 0 ? "" : changes[name].net > 0 ? "text-buy" : "text-sell"}`}
                >
                  {formatChange(changes[name].net)}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <dl aria-label={texts.distribution} className="grid grid-cols-[1fr_auto_auto] gap-x-4 gap-y-0.5">
        {distribution.map(({ min_share, max_share, holders, share_of_supply }) => (
          <div key={min_share} className="contents">
            <dt className="text-muted">
              {texts.band(
                formatPercentage(min_share * 100),
                max_share === null ? null : formatPercentage(max_share * 100),
              )}
            </dt>
            <dd className="text-end">{texts.holderCount(formatCount(holders))}</dd>
            <dd className="text-end font-semibold">{formatFraction(share_of_supply)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const formatChange = (net: number) => `${net > 0 ? "+" : net < 0 ? "−" : ""}${formatCount(Math.abs(net))}`;

/** Balances, largest first, with the role of each address. */
export function HolderList({ token, stale }: { token: TokenDetail; stale: boolean }) {
  const texts = useMessages().token;
  const query = useInfiniteQuery({ ...holderPages(token.address), refetchInterval: 30_000 });
  if (query.isError && query.data === undefined) {
    return <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-4" />;
  }
  const rows = query.data?.pages.flatMap(({ items }) => items);
  const columns: Column<Holder>[] = [
    {
      ...{ key: "holder", header: texts.holder },
      render: ({ address, label }) => (
        <span className="flex flex-wrap items-center gap-x-2">
          <Address value={address} />
          {label ? <span className="rounded-sm bg-sunken px-1.5 text-xs text-muted">{texts.label[label]}</span> : null}
        </span>
      ),
    },
    {
      ...{ key: "amount", header: texts.amount, numeric: true },
      render: ({ amount }) => <Amount value={amount} decimals={token.decimals} />,
    },
    {
      ...{ key: "share", header: texts.share, numeric: true },
      render: ({ share_of_supply }) => formatFraction(share_of_supply),
    },
  ];
  return (
    <>
      <HolderSummary token={token} page={query.data?.pages[0]} />
      <DataTable
        caption={texts.holdersCaption}
        columns={columns}
        rows={rows}
        getKey={({ address }) => address}
        empty={texts.holdersEmpty}
        stale={stale || query.isError}
        rowClassName="h-10"
      />
      <MoreButton query={query} label={texts.more} />
    </>
  );
}
