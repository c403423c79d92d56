import { maxCountedMatches } from "@slipway/protocol/searchLimits";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { pageOptions } from "../data/queries.ts";
import { ListingList, ListingSkeleton } from "../features/directory/listingList.tsx";
import { toShownListing } from "../features/directory/listingName.tsx";
import { useSourceNames } from "../features/directory/useSourceNames.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Button, buttonClasses } from "../ui/button.tsx";
import { EmptyState } from "../ui/emptyState.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { MoreRows } from "../ui/moreRows.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { SearchField } from "../ui/searchField.tsx";
import { Segments } from "../ui/segments.tsx";

const route = getRouteApi("/directory");
const pageSize = 24;

export function DirectoryPage() {
  const { directory } = useMessages();
  const { q = "", source = "all" as const } = route.useSearch();
  const navigate = route.useNavigate();
  const input = { source, limit: pageSize, ...(q === "" ? {} : { q }) };
  const listings = useInfiniteQuery({ ...pageOptions("getDirectory", input), placeholderData: keepPreviousData });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = listings;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const search = useCallback(
    (text: string) =>
      void navigate({ to: "/directory", search: (old) => ({ ...old, q: text || undefined }), replace: true }),
    [navigate],
  );
  const items = data?.pages.flatMap((page) => page.items.map(toShownListing)) ?? [];
  const sources = data?.pages[0]?.sources ?? [];
  // Hides sources that are not configured: without listings, now and before.
  const offered = sources.filter((each) => each.count > 0 || each.updated_at !== null || each.source === source);
  const toName = useSourceNames(offered.filter(({ count }) => count > 0).map((each) => each.source));
  const choices = [
    { value: "all" as const, label: directory.sources.all },
    ...offered.map((each) => ({ value: each.source, label: `${toName(each.source)} ${each.count}` })),
  ];
  const emptyText = q !== "" ? directory.noMatch(q) : source === "all" ? directory.empty : directory.emptySource;

  return (
    <div className="page">
      <PageHead
        title={directory.title}
        lead={directory.lead}
        actions={
          <Link to="/business/new" className={buttonClasses("primary")}>
            {directory.list}
          </Link>
        }
      />
      <div className="flex flex-wrap items-center gap-3 pb-4">
        <SearchField
          label={directory.search}
          placeholder={directory.searchPlaceholder}
          value={q}
          onSearch={search}
          className="w-full sm:w-80"
        />
        <Segments
          label={directory.source}
          value={source}
          items={choices}
          onChange={(value) =>
            void navigate({
              to: "/directory",
              search: (old) => ({ ...old, source: value === "all" ? undefined : value }),
              resetScroll: false,
            })
          }
          className="max-sm:w-full"
        />
        {data ? (
          <p role="status" className="ms-auto text-sm text-muted">
            {directory.count(data.pages[0]!.total, q !== "" && data.pages[0]!.total === maxCountedMatches)}
          </p>
        ) : null}
      </div>
      <div className="flex flex-col gap-3">
        {sources
          .filter((each) => each.stale)
          .map((each) => (
            <Notice key={each.source} tone="warning">
              {directory.stale(toName(each.source))}
            </Notice>
          ))}
        {error ? <ErrorNote error={error} onRetry={() => void listings.refetch()} busy={listings.isFetching} /> : null}
        {!data && !error ? <ListingSkeleton /> : null}
        {data && items.length === 0 ? (
          <EmptyState
            text={emptyText}
            action={
              q === "" && source === "all" ? (
                <Link to="/business/new" className={buttonClasses()}>
                  {directory.list}
                </Link>
              ) : (
                <Button onClick={() => void navigate({ to: "/directory", search: {} })}>{directory.back}</Button>
              )
            }
          />
        ) : null}
        <ListingList listings={items} />
      </div>
      <MoreRows
        label={directory.more}
        hasMore={hasNextPage}
        busy={isFetchingNextPage}
        onMore={more}
        auto={error === null}
      />
    </div>
  );
}
