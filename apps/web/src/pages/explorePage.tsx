import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { awaitsPicture, pictureMs } from "../data/awaitsPicture.ts";
import { readOptions } from "../data/queries.ts";
import { FreshTokens } from "../features/explore/freshTokens.tsx";
import { NewestLaunches, newestInput } from "../features/explore/newestLaunches.tsx";
import { SiteFigures } from "../features/explore/siteFigures.tsx";
import { TokenTable } from "../features/explore/tokenTable.tsx";
import { formatCount } from "../format/figures.ts";
import { formatClock } from "../format/time.ts";
import { useLiveList, useLiveStatus } from "../live/liveContext.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { Button, buttonClasses } from "../ui/button.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Notice } from "../ui/notice.tsx";
import { SearchField } from "../ui/searchField.tsx";
import { Segments } from "../ui/segments.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";
import { Waterline } from "../ui/waterline.tsx";

const route = getRouteApi("/");
const sorts = ["volume", "market_cap", "new", "gainers"] as const;
/** The number of tokens from which the newest ones have cards. */
const minCardTokens = 20;
/** Page sizes. The HTML already contains the first 50 tokens; "more" requests 100, then the maximum. */
const limits = [50, 100, 300] as const;

export function ExplorePage() {
  const { explore, shell } = useMessages();
  usePageTitle(explore.title);
  const { q = "", sort = "volume", limit: limitText } = route.useSearch();
  const navigate = route.useNavigate();
  const limit = limits.find((each) => String(each) === limitText) ?? limits[0];
  const input = { sort, limit, ...(q === "" ? {} : { q }) };
  const { data, error, isPending, isFetching, refetch } = useQuery({
    ...readOptions("listTokens", input),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.items.some(awaitsPicture) ? pictureMs : false),
  });
  useLiveList(input);
  useLiveList(newestInput);
  const live = useLiveStatus();
  const next = limits.find((each) => each > limit);
  const search = useCallback(
    (text: string) => void navigate({ to: "/", search: (old) => ({ ...old, q: text || undefined }), replace: true }),
    [navigate],
  );
  const isPaused = live.state === "paused";

  return (
    <>
      <div className="relative overflow-hidden border-b border-line bg-surface">
        <Waterline />
        <div className="page relative flex flex-wrap items-center gap-x-8 gap-y-3 pt-3 pb-6">
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
      <div className="page flex flex-col gap-5 pt-5">
        {/* With few tokens, the cards would repeat the table. */}
        {data === undefined || data.total < minCardTokens ? null : <NewestLaunches />}
        <div className="flex min-w-0 flex-col gap-3">
          <div className="flex flex-wrap items-center gap-3">
            <SearchField
              label={explore.search}
              placeholder={explore.searchPlaceholder}
              value={q}
              onSearch={search}
              className="w-full sm:w-80"
            />
            <Segments
              label={explore.order}
              value={sort}
              items={sorts.map((value) => ({ value, label: explore.sorts[value] }))}
              onChange={(value) =>
                void navigate({ to: "/", search: (old) => ({ ...old, sort: value }), resetScroll: false })
              }
              className="max-sm:w-full"
            />
            <div className="ms-auto">
              <FreshTokens />
            </div>
          </div>
          {isPaused ? (
            <Notice live tone="warning" title={explore.paused(formatClock(new Date(live.asOf)))}>
              {explore.pausedBody}
            </Notice>
          ) : null}
          {data?.quote === "eth" ? <Notice tone="info">{explore.inEth}</Notice> : null}
          {data?.official_asset ? (
            <Notice tone="warning">{explore.notLaunchedHere(data.official_asset.symbol)}</Notice>
          ) : null}
          {error ? <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} /> : null}
          {error && !data ? null : (
            <div className="panel overflow-hidden">
              <TokenTable
                tokens={isPending ? undefined : data}
                stale={isPaused || Boolean(error)}
                empty={<NoTokens text={q} onClear={() => search("")} />}
              />
            </div>
          )}
          {data && data.items.length > 0 ? (
            <div className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
              <p role="status">{explore.shown(formatCount(data.items.length), formatCount(data.total))}</p>
              {next && data.total > limit ? (
                <Button
                  busy={isFetching}
                  onClick={() =>
                    void navigate({
                      to: "/",
                      search: (old) => ({ ...old, limit: next === 100 ? "100" : "300" }),
                      resetScroll: false,
                    })
                  }
                >
                  {explore.more}
                </Button>
              ) : null}
            </div>
          ) : null}
        </div>
      </div>
    </>
  );
}

function NoTokens({ text, onClear }: { text: string; onClear: () => void }) {
  const { explore, shell } = useMessages();
  return (
    <div className="flex flex-col items-center gap-4">
      <p>{text === "" ? explore.newestEmpty : explore.noMatch(text)}</p>
      {text === "" ? (
        <Link to="/launch" className={buttonClasses("primary")}>
          {shell.launch}
        </Link>
      ) : (
        <Button onClick={onClear}>{explore.clear}</Button>
      )}
    </div>
  );
}
