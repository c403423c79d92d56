import type { GallerySort } from "@slipway/protocol/gallery";
import { maxCountedMatches } from "@slipway/protocol/searchLimits";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { galleryPages } from "../data/galleryPages.ts";
import { GalleryGrid, GallerySkeleton } from "../features/gallery/galleryGrid.tsx";
import { ReportButton } from "../features/report/reportButton.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { Button, buttonClasses } from "../ui/button.tsx";
import { EmptyState } from "../ui/emptyState.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Icon } from "../ui/icon.tsx";
import { MoreRows } from "../ui/moreRows.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { SearchField } from "../ui/searchField.tsx";
import { Segments } from "../ui/segments.tsx";

const route = getRouteApi("/gallery");
const sorts = ["new", "volume", "market_cap", "random"] as const satisfies readonly GallerySort[];
/** Returns a seed for the URL, so that a link to a random order always shows the same order. */
const createSeed = () => String(crypto.getRandomValues(new Uint32Array(1))[0]);

export function GalleryPage() {
  const { gallery, shell } = useMessages();
  const { q = "", sort = "new", seed } = route.useSearch();
  const navigate = route.useNavigate();
  const pictures = useInfiniteQuery({ ...galleryPages({ q, sort, seed }), placeholderData: keepPreviousData });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pictures;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const search = useCallback(
    (text: string) =>
      void navigate({ to: "/gallery", search: (old) => ({ ...old, q: text || undefined }), replace: true }),
    [navigate],
  );
  const order = (value: GallerySort) =>
    void navigate({
      to: "/gallery",
      search: (old) => ({ ...old, sort: value, seed: value === "random" ? createSeed() : undefined }),
      resetScroll: false,
    });
  const items = data?.pages.flatMap((page) => page.items) ?? [];

  return (
    <div className="page">
      <PageHead title={gallery.title} lead={gallery.lead} />
      <div className="flex flex-wrap items-center gap-3 pb-4">
        <SearchField
          label={gallery.search}
          placeholder={gallery.searchPlaceholder}
          value={q}
          onSearch={search}
          className="w-full sm:w-80"
        />
        <Segments
          label={gallery.order}
          value={sort}
          items={sorts.map((value) => ({ value, label: gallery.sorts[value] }))}
          onChange={order}
          className="max-sm:w-full"
        />
        {sort === "random" ? (
          <Button onClick={() => order("random")}>
            <Icon name="refresh" />
            {gallery.shuffle}
          </Button>
        ) : null}
        {data ? (
          <p role="status" className="ms-auto text-sm text-muted">
            {gallery.count(data.pages[0]!.total, q !== "" && data.pages[0]!.total === maxCountedMatches)}
          </p>
        ) : null}
      </div>
      {error ? (
        <ErrorNote error={error} onRetry={() => void pictures.refetch()} busy={pictures.isFetching} className="mb-4" />
      ) : null}
      {!data && !error ? <GallerySkeleton count={12} /> : null}
      {data && items.length === 0 ? (
        <EmptyState
          text={q === "" ? gallery.empty : gallery.noMatch(q)}
          action={
            q === "" ? (
              <Link to="/launch" className={buttonClasses("primary")}>
                {shell.launch}
              </Link>
            ) : (
              <Button onClick={() => search("")}>{gallery.clear}</Button>
            )
          }
        />
      ) : null}
      <GalleryGrid
        items={items}
        action={({ token, image }) => (
          <ReportButton compact reported={{ kind: "image", id: image.sha256, name: token.name }} />
        )}
      />
      <MoreRows
        label={gallery.more}
        hasMore={hasNextPage}
        busy={isFetchingNextPage}
        onMore={more}
        auto={error === null}
      />
    </div>
  );
}
