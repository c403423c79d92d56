import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { type ExploreSearch, isShown, toTokensInput } from "../../data/exploreSearch.ts";
import { readOptions } from "../../data/queries.ts";
import { useLiveList } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MoreRows } from "../../ui/moreRows.tsx";
import { TokenTable } from "./tokenTable.tsx";

/** Pages beyond this number of tokens stay as they were read: each live page is a request after every interruption. */
const maxLiveTokens = 300;

type MoreTokensProps = {
  search: ExploreSearch;
  /** `next_cursor` of the page before. */
  cursor: string;
  /** The number of tokens before. */
  start: number;
  stale: boolean;
};

/**
 * The pages of tokens after the first one: each loads near the end of the page before it. The browser lays out and draws
 * only the pages near the window (`content-visibility`), so that thousands of rows cost what a screen of rows costs.
 */
export function MoreTokens(props: MoreTokensProps) {
  const { explore } = useMessages();
  const [isWanted, setWanted] = useState(false);
  const load = useCallback(() => setWanted(true), []);
  return isWanted ? <Page {...props} /> : <MoreRows label={explore.more} hasMore busy={false} onMore={load} />;
}

function Page({ search, cursor, start, stale }: MoreTokensProps) {
  const { explore } = useMessages();
  const input = { ...toTokensInput(search), cursor };
  const isLive = start < maxLiveTokens;
  const { data, error, isFetching, refetch } = useQuery({
    ...readOptions("listTokens", input),
    refetchOnWindowFocus: isLive,
  });
  useLiveList(input, isLive);
  if (error !== null && data === undefined)
    return <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} className="mt-3" />;
  if (data === undefined) return <MoreRows label={explore.more} hasMore busy onMore={() => {}} />;
  const items = data.items.filter((token) => isShown(token, search));
  return (
    <>
      <div className="panel overflow-hidden [contain-intrinsic-block-size:auto_2800px] [content-visibility:auto]">
        <TokenTable tokens={{ ...data, items }} stale={stale || error !== null} empty={null} start={start} headless />
      </div>
      {data.next_cursor === null ? null : (
        <MoreTokens
          key={data.next_cursor}
          search={search}
          stale={stale}
          cursor={data.next_cursor}
          start={start + data.items.length}
        />
      )}
    </>
  );
}
