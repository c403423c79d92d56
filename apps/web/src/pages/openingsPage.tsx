import type { Opening } from "@slipway/protocol/openings";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pageOptions } from "../data/queries.ts";
import { Countdown } from "../features/opening/countdown.tsx";
import { DepositBar } from "../features/opening/depositBar.tsx";
import { OpeningName } from "../features/opening/openingName.tsx";
import { OpeningStatusMark } from "../features/opening/openingStatusMark.tsx";
import { formatAmount } from "../format/amount.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useChain } from "../session/services.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Button, buttonClasses } from "../ui/button.tsx";
import { DataTable } from "../ui/dataTable.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { MoreButton } from "../ui/moreButton.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Segments } from "../ui/segments.tsx";

const route = getRouteApi("/openings");
const statuses = ["open", "ready", "opened", "refunding", "done"] as const;
/** Milliseconds between reads of the list. */
const refetchMs = 10_000;

/** The openings, newest first. */
export function OpeningsPage() {
  const { opening: text } = useMessages();
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const currency = useChain()?.currency.symbol ?? "ETH";
  const input = status === undefined ? undefined : { status };
  const openings = useInfiniteQuery({ ...pageOptions("listOpenings", input), refetchInterval: refetchMs });
  const choose = (next: (typeof statuses)[number] | "all") =>
    void navigate({ search: { status: next === "all" ? undefined : next }, resetScroll: false });
  const toNative = (amount: string) => `${formatAmount(BigInt(amount), 18)} ${currency}`;
  const label = ({ total, minimum, cap }: Opening) =>
    text.progressOf(toNative(total), toNative(minimum), toNative(cap));
  return (
    <div className="page pb-6">
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          <Link to="/launch" className={buttonClasses("primary")}>
            {text.create}
          </Link>
        }
      />
      <Segments
        label={text.filter}
        value={status ?? "all"}
        items={[
          { value: "all" as const, label: text.all },
          ...statuses.map((value) => ({ value, label: text.statuses[value] })),
        ]}
        onChange={choose}
        className="pb-4"
      />
      {openings.error === null ? null : (
        <ErrorNote error={openings.error} onRetry={() => void openings.refetch()} className="mb-4" />
      )}
      {/* Without a first page there are no rows to show, also no placeholders of rows. */}
      {openings.isError && openings.data === undefined ? null : (
        <div className="panel">
          <DataTable
            caption={text.title}
            rows={openings.data?.pages.flatMap(({ items }) => items)}
            getKey={({ address }) => address}
            skeletonRows={4}
            rowClassName="h-16"
            empty={
              status === undefined ? (
                text.empty
              ) : (
                <div className="flex flex-col items-center gap-4">
                  <p>{text.emptyStatus}</p>
                  <Button onClick={() => choose("all")}>{text.showAll}</Button>
                </div>
              )
            }
            columns={[
              {
                key: "token",
                header: text.columns.token,
                render: (opening) => (
                  <span className="flex min-w-0 items-center gap-3">
                    <Avatar address={opening.address} size={32} />
                    <Link
                      to="/opening/$address"
                      params={{ address: opening.address }}
                      className="min-w-0 font-semibold wrap-anywhere after:absolute after:inset-0 hover:underline"
                    >
                      <OpeningName opening={opening} />
                    </Link>
                  </span>
                ),
              },
              {
                key: "deposits",
                header: text.columns.deposits,
                className: "w-40 sm:w-64",
                render: (opening) => (
                  <span className="flex flex-col gap-1">
                    <span className="whitespace-nowrap">
                      {text.ofMinimum(formatAmount(BigInt(opening.total), 18), toNative(opening.minimum))}
                    </span>
                    <DepositBar
                      label={label(opening)}
                      total={opening.total}
                      minimum={opening.minimum}
                      cap={opening.cap}
                    />
                  </span>
                ),
              },
              {
                key: "status",
                header: text.columns.status,
                priority: "sm",
                render: ({ status: current }) => <OpeningStatusMark status={current} />,
              },
              {
                key: "left",
                header: text.columns.left,
                priority: "md",
                numeric: true,
                render: ({ deadline, status: current }) =>
                  current === "open" || current === "ready" ? <Countdown deadline={deadline} /> : text.ended,
              },
              {
                key: "depositors",
                header: text.columns.depositors,
                priority: "lg",
                numeric: true,
                render: ({ depositors }) => depositors,
              },
            ]}
          />
          <MoreButton query={openings} label={text.more} />
        </div>
      )}
    </div>
  );
}
