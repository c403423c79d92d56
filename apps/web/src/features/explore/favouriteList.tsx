import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ChangeEvent, useId, useState, useSyncExternalStore } from "react";
import { readOptions } from "../../data/queries.ts";
import { useLiveList } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { download } from "../../ui/download.ts";
import { EmptyState } from "../../ui/emptyState.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { addFavourites, getFavourites, subscribeFavourites } from "./favourites.ts";
import { TokenTable } from "./tokenTable.tsx";

/** The favourite tokens of this browser, with their export and import as a file. */
export function FavouriteList({ stale }: { stale: boolean }) {
  const { tokenList: text } = useMessages();
  const kept = useSyncExternalStore(subscribeFavourites, getFavourites);
  const input = { addresses: kept.join() };
  const { data, error, isFetching, refetch } = useQuery({
    ...readOptions("listTokens", input),
    enabled: kept.length > 0,
    placeholderData: keepPreviousData,
  });
  useLiveList(input);
  // A removed favourite leaves at once.
  const items = data?.items.filter(({ address }) => kept.includes(address.toLowerCase()));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="me-auto text-sm text-muted">{text.favouritesLead}</p>
        <Button
          size="sm"
          disabled={kept.length === 0}
          onClick={() => download("slipway-favourites.json", JSON.stringify(kept, null, 2), "application/json")}
        >
          {text.exportFavourites}
        </Button>
        <ImportButton />
      </div>
      {error === null ? null : <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />}
      {kept.length === 0 ? (
        <EmptyState text={text.favouritesEmpty} />
      ) : (
        <div className="panel overflow-hidden">
          <TokenTable
            tokens={data && items && { ...data, items }}
            stale={stale || error !== null}
            empty={text.favouritesEmpty}
          />
        </div>
      )}
    </div>
  );
}

/** Adds the tokens of an exported file. */
function ImportButton() {
  const { tokenList: text } = useMessages();
  const id = useId();
  const [added, setAdded] = useState<number | null>(null);
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file !== undefined) setAdded(addFavourites(await file.text()));
  };
  return (
    <>
      <input
        id={id}
        type="file"
        accept=".json,application/json,text/plain"
        onChange={(event) => void read(event)}
        className="peer sr-only"
      />
      <label
        htmlFor={id}
        className={`${buttonClasses("secondary", "sm")} cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus`}
      >
        {text.importFavourites}
      </label>
      <span role="status" className="text-sm text-muted empty:hidden">
        {added === null ? "" : text.imported(added)}
      </span>
    </>
  );
}
