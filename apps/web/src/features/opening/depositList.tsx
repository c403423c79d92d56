import { useInfiniteQuery } from "@tanstack/react-query";
import { pageOptions } from "../../data/queries.ts";
import { formatFraction } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MoreButton } from "../../ui/moreButton.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

type DepositListProps = {
  address: string;
  /** The sum of all deposits in wei. */
  total: string;
  currency: string;
  /** The connected wallet in lower case. */
  own: string | null;
  /** Milliseconds between reads; false while messages keep the list current. */
  refetchMs: number | false;
};

/** Converts a part of an amount to a fraction, for display. */
const toShare = (part: string, whole: string): number | null =>
  whole === "0" ? null : Number((BigInt(part) * 1_000_000n) / BigInt(whole)) / 1_000_000;

/** The deposits of an opening, newest first, each with its share of all. */
export function DepositList({ address, total, currency, own, refetchMs }: DepositListProps) {
  const { opening: text } = useMessages();
  const deposits = useInfiniteQuery({
    ...pageOptions("listOpeningDeposits", { address }),
    refetchInterval: refetchMs,
  });
  return (
    <Panel title={text.deposits} flush>
      {deposits.error === null ? null : (
        <ErrorNote error={deposits.error} onRetry={() => void deposits.refetch()} className="m-4" />
      )}
      <DataTable
        caption={text.deposits}
        rows={deposits.data?.pages.flatMap(({ items }) => items)}
        getKey={({ id }) => id}
        skeletonRows={3}
        rowClassName="h-12"
        empty={text.depositsEmpty}
        columns={[
          {
            key: "account",
            header: text.depositColumns.account,
            render: ({ account }) => (
              <span className="inline-flex flex-wrap items-center gap-x-2">
                <Address value={account} />
                {account.toLowerCase() === own ? <span className="text-muted">({text.you})</span> : null}
              </span>
            ),
          },
          {
            key: "amount",
            header: text.depositColumns.amount,
            numeric: true,
            render: ({ amount }) => <Amount value={amount} decimals={18} symbol={currency} />,
          },
          {
            key: "share",
            header: text.depositColumns.share,
            numeric: true,
            render: ({ amount }) => formatFraction(toShare(amount, total)),
          },
          {
            key: "time",
            header: text.depositColumns.time,
            numeric: true,
            priority: "sm",
            render: ({ block_timestamp: time }) => <Time value={time} />,
          },
        ]}
      />
      <MoreButton query={deposits} label={text.depositsMore} />
    </Panel>
  );
}
