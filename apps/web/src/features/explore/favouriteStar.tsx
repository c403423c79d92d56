import { useSyncExternalStore } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { getFavourites, subscribeFavourites, toggleFavourite } from "./favourites.ts";

/** A button that keeps a token among the favourites of this browser. */
export function FavouriteStar({ address, name }: { address: string; name: string }) {
  const { tokenList: text } = useMessages();
  const isKept = useSyncExternalStore(subscribeFavourites, getFavourites, getFavourites).includes(
    address.toLowerCase(),
  );
  return (
    <button
      type="button"
      aria-pressed={isKept}
      aria-label={text.favourite(name)}
      title={text.favourite(name)}
      onClick={() => toggleFavourite(address)}
      className={`relative z-1 flex size-7 items-center justify-center rounded-sm hover:bg-sunken hover:text-ink ${isKept ? "text-accent" : "text-control"}`}
    >
      <svg aria-hidden="true" width={16} height={16} viewBox="0 0 16 16" stroke="currentColor" strokeWidth={1.4}>
        <path
          d="M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.300-.6z"
          fill={isKept ? "currentColor" : "none"}
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}
