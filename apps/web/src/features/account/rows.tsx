import type { ReactNode } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { AccountError } from "./accountError.tsx";

type RowsProps<Row> = {
  /** The name of the list, for screen readers. */
  label: string;
  /** Undefined while loading: then skeletons of the same height appear. */
  rows: readonly Row[] | undefined;
  getKey: (row: Row) => string;
  /** The text for an empty list, and what to do. */
  empty: string;
  title: (row: Row) => ReactNode;
  /** Shown below the title. */
  details: (row: Row) => ReactNode;
  /** Shown at the end of the row: buttons or a figure. */
  action?: (row: Row) => ReactNode;
};

/** A list in a panel: each entry has a title, details and an action. */
export function Rows<Row>({ label, rows, getKey, empty, title, details, action }: RowsProps<Row>) {
  if (rows?.length === 0) return <p className="px-4 py-8 text-center text-sm text-muted">{empty}</p>;
  const style = "flex min-h-17 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3";
  return (
    <ul aria-label={label} aria-busy={rows === undefined} className="divide-y divide-line border-t border-line">
      {rows?.map((row) => (
        <li key={getKey(row)} className={style}>
          <div className="min-w-0 flex-1 basis-48">
            <div className="font-semibold break-words">{title(row)}</div>
            <div className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm text-muted">{details(row)}</div>
          </div>
          {action ? <div className="flex flex-wrap items-center gap-2">{action(row)}</div> : null}
        </li>
      )) ??
        [...Array(3).keys()].map((number) => (
          <li key={number} className={style}>
            <div className="flex flex-1 flex-col gap-2">
              <Skeleton className="h-4 w-40" />
              <Skeleton className="h-4 w-56" />
            </div>
          </li>
        ))}
    </ul>
  );
}

type PageParts = {
  error: Error | null;
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
};

/** The end of a paged list: its error, and the button for older entries. */
export function RowsEnd({ pages }: { pages: PageParts }) {
  const { account: text } = useMessages();
  if (pages.error !== null)
    return (
      <AccountError
        error={pages.error}
        onRetry={() => void (pages.hasNextPage ? pages.fetchNextPage() : pages.refetch())}
        busy={pages.isFetching}
        className="m-4"
      />
    );
  if (!pages.hasNextPage) return null;
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button size="sm" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        {text.more}
      </Button>
    </div>
  );
}
