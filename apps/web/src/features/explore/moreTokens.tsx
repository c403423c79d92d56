import { useQuery } from "@tanstack/react-query";
import { startTransition, useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { type ExploreSearch, isShown, toTokensInput } from "../../data/exploreSearch.ts";
import { readOptions } from "../../data/queries.ts";
import { useLiveList } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MoreRows } from "../../ui/moreRows.tsx";
import { TokenTable } from "./tokenTable.tsx";

/** Pages beyond this number of tokens stay as they were read: each live page is a request after every interruption. */
const maxLiveTokens = 300;

/**
 * A page loses its rows when it is farther from the window than `keptWindows` windows, because ten thousand rows would have half a
 * million nodes, and gets them back at `nearWindows`. On a desktop, about a thousand rows on each side stay, also for the browser's
 * text search, while a jump of the scroll bar renders only the few pages around the window.
 */
const [keptWindows, nearWindows] = [60, 4];

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
 * only the pages near the window (`content-visibility`), and far pages are empty blocks of the same height.
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
  const {
    data: read,
    error,
    isFetching,
    refetch,
  } = useQuery({
    ...readOptions("listTokens", input),
    refetchOnWindowFocus: isLive,
  });
  // React interrupts this rendering for frames: a page of new rows must not stop the scrolling.
  const data = useDeferredValue(read, undefined);
  useLiveList(input, isLive);
  const { element, emptyHeight } = useEmptyFarAway(data !== undefined);
  if (error !== null && read === undefined)
    return <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} className="mt-3" />;
  if (data === undefined) return <MoreRows label={explore.more} hasMore busy onMore={() => {}} />;
  const items = data.items.filter((token) => isShown(token, search));
  return (
    <>
      <div
        ref={element}
        className="panel overflow-hidden [contain-intrinsic-block-size:auto_2800px] [content-visibility:auto]"
        style={emptyHeight === null ? undefined : { blockSize: emptyHeight }}
      >
        {emptyHeight === null ? (
          <TokenTable tokens={{ ...data, items }} stale={stale || error !== null} empty={null} start={start} headless />
        ) : null}
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

/**
 * Watches an element's distance from the window.
 *
 * @returns the height with which the element should be empty; null while it is near or contains the focus
 */
function useEmptyFarAway(isDrawn: boolean) {
  const element = useRef<HTMLDivElement>(null);
  const [emptyHeight, setEmptyHeight] = useState<number | null>(null);
  useEffect(() => {
    const watched = element.current;
    if (!isDrawn || watched === null) return;
    const isFocused = () => watched.contains(document.activeElement);
    // A call can have several entries, for example after a quick jump: only the last one is current.
    const far = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1)!;
        if (!entry.isIntersecting && !isFocused()) setEmptyHeight(entry.boundingClientRect.height);
      },
      { rootMargin: `${keptWindows * 100}%` },
    );
    const near = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)!.isIntersecting) startTransition(() => setEmptyHeight(null));
      },
      { rootMargin: `${nearWindows * 100}%` },
    );
    far.observe(watched);
    near.observe(watched);
    return () => {
      far.disconnect();
      near.disconnect();
    };
  }, [isDrawn]);
  return { element, emptyHeight };
}
