import type { TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Answer } from "../../data/queries.ts";
import { holderPages } from "../../data/tokenQueries.ts";
import { formatFraction } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";

type Holder = Answer<"listTokenHolders">["items"][number];

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
      {token.top10_holders_pct === null ? null : (
        <p className="px-4 pt-2 text-sm text-muted">{texts.top10(formatFraction(token.top10_holders_pct / 100))}</p>
      )}
      <DataTable
        caption={texts.holdersCaption}
        columns={columns}
        rows={rows}
        getKey={({ address }) => address}
        empty={texts.holdersEmpty}
        stale={stale || query.isError}
        rowClassName="h-10"
      />
      {query.hasNextPage ? (
        <div className="p-4 text-center">
          <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      ) : null}
    </>
  );
}
