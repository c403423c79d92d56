import type { IndexedWallet } from "@slipway/protocol/people";
import { formatUsd, unknown } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Figure } from "../../ui/figure.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

type WalletHeaderProps = {
  address: string;
  /** The loaded pages; undefined until the first page loads. */
  pages: readonly IndexedWallet[] | undefined;
  /** The first page could not be read: the figures are unknown. */
  failed: boolean;
  hasMore: boolean;
};

/** A wallet's address, the value of its holdings, and its realized profit. */
export function WalletHeader({ address, pages, failed, hasMore }: WalletHeaderProps) {
  const { portfolio: texts } = useMessages();
  const newest = pages?.[0];
  const values = pages?.flatMap(({ holdings }) => holdings.map(({ value_usd }) => value_usd)) ?? [];
  // One unknown value makes the sum unknown.
  const total = values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const realized = newest?.profit.realized_usd ?? null;
  const tone = realized === null || realized === 0 ? "" : realized > 0 ? "text-buy" : "text-sell";
  const waiting = failed ? unknown : <Skeleton className="my-1 h-5 w-24" />;
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4">
      <div className="flex min-w-0 items-center gap-3">
        <Avatar address={address} size={48} />
        <div className="min-w-0">
          <p className="text-sm text-muted">{texts.heading}</p>
          <h1 className="text-xl font-bold">
            <Address value={address} to={null} copy />
          </h1>
        </div>
      </div>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Figure name={texts.total}>
          {newest === undefined ? waiting : `${formatUsd(total)}${hasMore ? "+" : ""}`}
        </Figure>
        <Figure name={texts.profit}>
          {newest === undefined ? (
            waiting
          ) : (
            <span className={tone}>{`${realized !== null && realized > 0 ? "+" : ""}${formatUsd(realized)}`}</span>
          )}
        </Figure>
        <Figure name={texts.asOf}>{newest === undefined ? waiting : <Time value={newest.as_of.timestamp} />}</Figure>
      </dl>
    </header>
  );
}
