import { useInfiniteQuery } from "@tanstack/react-query";
import { baseUrl } from "../../data/api.ts";
import type { Answer } from "../../data/queries.ts";
import { pageOptions } from "../../data/queries.ts";
import { formatAmount } from "../../format/amount.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatMoment } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MoreButton } from "../../ui/moreButton.tsx";
import { Time } from "../../ui/time.tsx";
import { sumFeesByDay } from "./feesByDay.ts";

type Release = Answer<"listFeeReleases">["items"][number];

const decimals = 18;
const days = 30;
const pageSize = 300;
const native = /^0x0{40}$/;

/** The fees that a wallet was paid: a bar for each of the last 30 days, every payment, and all of them as CSV. */
export function FeeHistory({ address }: { address: string }) {
  const { portfolio: texts } = useMessages();
  const wallet = address.toLowerCase();
  const query = useInfiniteQuery(pageOptions("listFeeReleases", { address: wallet, limit: pageSize }));
  const releases = query.data?.pages.flatMap(({ items }) => items);
  if (query.isError && releases === undefined)
    return <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-4" />;
  if (releases?.length === 0) return null;
  const columns: Column<Release>[] = [
    { key: "time", header: texts.time, render: ({ block_timestamp }) => <Time value={block_timestamp} /> },
    {
      key: "token",
      header: texts.token,
      priority: "sm",
      render: ({ token }) => <bdi className="wrap-anywhere">{token === null ? "—" : toDisplayText(token.symbol)}</bdi>,
    },
    {
      key: "amount",
      header: texts.amount,
      numeric: true,
      render: ({ amount, asset, token }) => (
        <Amount value={amount} decimals={decimals} symbol={getSymbol(asset, token)} />
      ),
    },
  ];
  return (
    <section aria-label={texts.paidOut} className="border-t border-line pt-3">
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pb-2">
        <h2 className="text-sm font-bold">{texts.paidOut}</h2>
        <a
          href={`${baseUrl}/wallets/${wallet}/fees?format=csv&limit=${pageSize}`}
          download={`slipway-fees-${wallet}.csv`}
          className={buttonClasses("secondary", "sm")}
        >
          {texts.csv}
        </a>
      </div>
      <DayBars releases={releases ?? []} />
      <DataTable
        caption={texts.paidOut}
        rows={releases}
        columns={columns}
        getKey={({ id }) => id}
        skeletonRows={3}
        rowClassName="h-10"
      />
      <MoreButton query={query} label={texts.more} />
    </section>
  );
}

function getSymbol(asset: string, token: Release["token"]): string {
  if (native.test(asset)) return "ETH";
  return token !== null && token.address.toLowerCase() === asset.toLowerCase() ? token.symbol : "WETH";
}

const [width, height] = [600, 80];

/** A bar for each day; screen readers get the sum, and each payment from the table below. */
function DayBars({ releases }: { releases: readonly Release[] }) {
  const { portfolio: texts } = useMessages();
  const sums = sumFeesByDay(releases, days, new Date());
  const [most = 0n] = sums.map(({ wei }) => wei).toSorted((a, b) => (a < b ? 1 : -1));
  const total = sums.reduce((sum, { wei }) => sum + wei, 0n);
  const step = width / days;
  return (
    <figure className="px-4 pb-3">
      <svg
        role="img"
        aria-label={texts.paidOutChart(formatAmount(total, decimals), days)}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="h-20 w-full border-b border-line"
      >
        {sums.map(({ day, wei }, index) => {
          const size = most === 0n ? 0 : (Number((wei * 1_000n) / most) / 1_000) * height;
          return (
            <rect
              key={day}
              x={index * step + 2}
              y={height - size}
              width={step - 4}
              height={size}
              className="fill-accent"
            >
              <title>{`${formatMoment(new Date(`${day}T00:00:00Z`))}: ${formatAmount(wei, decimals)} ETH`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="pt-1 text-xs text-muted">
        {texts.paidOutChart(formatAmount(total, decimals), days)}
      </figcaption>
    </figure>
  );
}
