import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { awaitsPicture, pictureMs } from "../data/awaitsPicture.ts";
import { type ExploreSearch, filterNames, isShown, lists, sorts, toTokensInput } from "../data/exploreSearch.ts";
import { readOptions } from "../data/queries.ts";
import { FreshTokens } from "../features/explore/freshTokens.tsx";
import { NewestLaunches, newestInput } from "../features/explore/newestLaunches.tsx";
import { SiteFigures } from "../features/explore/siteFigures.tsx";
import { TokenTable } from "../features/explore/tokenTable.tsx";
import { formatCount } from "../format/figures.ts";
import { formatClock } from "../format/time.ts";
import { useLiveList, useLiveStatus } from "../live/liveContext.tsx";
import { loadPageTexts } from "../messages/messages.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Button, buttonClasses } from "../ui/button.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { Notice } from "../ui/notice.tsx";
import { SearchField } from "../ui/searchField.tsx";
import { Segments } from "../ui/segments.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";
import { Waterline } from "../ui/waterline.tsx";

const route = getRouteApi("/");
/** The number of tokens from which the newest ones have cards. */
const minCardTokens = 20;

const ExploreTools = lazyPart(
  () => import("../features/explore/exploreTools.tsx"),
  (module) => module.ExploreTools,
  loadPageTexts,
);
const OrderButton = lazyPart(
  () => import("../features/explore/order.tsx"),
  (module) => module.OrderButton,
  loadPageTexts,
);
const MoreTokens = lazyPart(
  () => import("../features/explore/moreTokens.tsx"),
  (module) => module.MoreTokens,
);
const NoTokens = lazyPart(
  () => import("../features/explore/noTokens.tsx"),
  (module) => module.NoTokens,
  loadPageTexts,
);
const OtherList = lazyPart(
  () => import("../features/explore/otherList.tsx"),
  (module) => module.OtherList,
  loadPageTexts,
);

export function ExplorePage() {
  const { explore, shell } = useMessages();
  usePageTitle(explore.title);
  const { list = "all" } = route.useSearch();
  const navigate = route.useNavigate();
  const live = useLiveStatus();
  const isPaused = live.state === "paused";
  const choose = (search: ExploreSearch) =>
    void navigate({ to: "/", search: (old) => ({ ...old, ...search }), resetScroll: false });
  return (
    <>
      <div className="relative overflow-hidden border-b border-line bg-surface">
        <Waterline />
        <div className="page relative flex flex-wrap items-center gap-x-8 gap-y-3 py-4">
          <div className="min-w-0 flex-1 basis-72">
            <h1 className="text-lg font-bold">{explore.title}</h1>
            <p className="text-sm text-muted max-sm:hidden">{explore.lead}</p>
          </div>
          <SiteFigures />
          <Link to="/launch" className={`max-sm:hidden ${buttonClasses("primary")}`}>
            {shell.launch}
          </Link>
        </div>
      </div>
      <div className="page flex flex-col gap-4 pt-4">
        <Segments
          label={explore.list}
          value={list}
          items={lists.map((value) => ({ value, label: explore.lists[value] }))}
          onChange={(value) => choose({ list: value === "all" ? undefined : value })}
          className="self-start"
        />
        {isPaused ? (
          <Notice live tone="warning" title={explore.paused(formatClock(new Date(live.asOf)))}>
            {explore.pausedBody}
          </Notice>
        ) : null}
        {list === "all" ? (
          <AllTokens isPaused={isPaused} choose={choose} />
        ) : (
          <OtherList list={list} stale={isPaused} />
        )}
      </div>
    </>
  );
}

type AllTokensProps = { isPaused: boolean; choose: (search: ExploreSearch) => void };

/** The tokens in the chosen order, with search and filters. */
function AllTokens({ isPaused, choose }: AllTokensProps) {
  const { explore } = useMessages();
  const search = route.useSearch();
  const { q = "", sort = "volume" } = search;
  const navigate = route.useNavigate();
  const [opened, setOpened] = useState<"filters" | "columns" | null>(null);
  const input = toTokensInput(search);
  const { data, error, isPending, isFetching, refetch } = useQuery({
    ...readOptions("listTokens", input),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.items.some(awaitsPicture) ? pictureMs : false),
  });
  useLiveList(input);
  useLiveList(newestInput);
  const searchText = useCallback(
    (text: string) => void navigate({ to: "/", search: (old) => ({ ...old, q: text || undefined }), replace: true }),
    [navigate],
  );
  const filters = filterNames.filter((name) => search[name]).length;
  const items = data?.items.filter((token) => isShown(token, search));
  const toggle = (part: "filters" | "columns") => () => setOpened(opened === part ? null : part);
  return (
    <>
      {/* With few tokens, the cards would repeat the table. */}
      {data === undefined || data.total < minCardTokens || filters > 0 ? null : <NewestLaunches />}
      <div className="flex flex-wrap items-center gap-3">
        <SearchField
          label={explore.search}
          placeholder={explore.searchPlaceholder}
          value={q}
          onSearch={searchText}
          className="w-full sm:w-64"
        />
        <Segments
          label={explore.order}
          value={sort}
          items={sorts.map((value) => ({ value, label: explore.sorts[value] }))}
          onChange={(value) => choose({ sort: value, direction: undefined })}
          className="max-w-full"
        />
        <OrderButton order={search} onOrder={choose} fallback={<span className="h-8 w-32" />} />
        <Button size="sm" aria-expanded={opened === "filters"} onClick={toggle("filters")}>
          {explore.filters(filters)}
        </Button>
        <Button size="sm" aria-expanded={opened === "columns"} onClick={toggle("columns")} className="max-md:hidden">
          {explore.chooseColumns}
        </Button>
        <div className="ms-auto">
          <FreshTokens />
        </div>
      </div>
      {opened === null ? null : <ExploreTools opened={opened} search={search} onChange={choose} />}
      {data?.quote === "eth" ? <Notice tone="info">{explore.inEth}</Notice> : null}
      {data?.official_asset ? (
        <Notice tone="warning">{explore.notLaunchedHere(data.official_asset.symbol)}</Notice>
      ) : null}
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} /> : null}
      {error && !data ? null : (
        <div className="panel overflow-hidden">
          <TokenTable
            tokens={isPending || !data || !items ? undefined : { ...data, items }}
            stale={isPaused || Boolean(error)}
            order={search}
            onOrder={choose}
            empty={<NoTokens text={q} isFiltered={filters > 0} onClear={() => searchText("")} />}
          />
        </div>
      )}
      {data && data.items.length > 0 ? (
        <>
          {data.next_cursor === null ? null : (
            <MoreTokens
              key={data.next_cursor}
              search={search}
              cursor={data.next_cursor}
              start={data.items.length}
              stale={isPaused}
            />
          )}
          <p role="status" className="text-sm text-muted">
            {explore.total(formatCount(data.total))}
          </p>
        </>
      ) : null}
    </>
  );
}
