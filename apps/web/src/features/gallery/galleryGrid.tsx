import type { Gallery } from "@slipway/protocol/gallery";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toDisplayText } from "../../format/displayText.ts";
import { formatUsd } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { WarningMark } from "../../ui/icon.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

type Item = Gallery["items"][number];

const gridStyle = "grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4 md:grid-cols-4 lg:grid-cols-5 xl:grid-cols-6";
const sizes =
  "(min-width: 80rem) 196px, (min-width: 64rem) 19vw, (min-width: 48rem) 23vw, (min-width: 40rem) 31vw, 46vw";
/** Pictures that load at once; the others load near the viewport. */
const eagerPictures = 6;

type GalleryGridProps = {
  items: readonly Item[];
  /** Renders an action over a picture's upper corner. */
  action: (item: Item) => ReactNode;
};

/** A grid of square pictures, each with its token. */
export function GalleryGrid({ items, action }: GalleryGridProps) {
  return (
    <ul className={gridStyle}>
      {items.map((item, index) => (
        <GalleryTile key={item.token.address} item={item} eager={index < eagerPictures} action={action(item)} />
      ))}
    </ul>
  );
}

type GalleryTileProps = { item: Item; eager: boolean; action: ReactNode };

function GalleryTile({ item: { token, image }, eager, action }: GalleryTileProps) {
  const { gallery } = useMessages();
  return (
    <li className="panel group relative flex flex-col overflow-hidden hover:border-control">
      <img
        src={image.urls[256]}
        srcSet={`${image.urls[256]} 256w, ${image.urls[512]} 512w`}
        sizes={sizes}
        width={256}
        height={256}
        alt={image.alt}
        loading={eager ? "eager" : "lazy"}
        decoding="async"
        className="aspect-square w-full object-cover"
        // The picture's dominant colour until the picture loads.
        style={{ backgroundColor: image.dominant_color }}
      />
      <div className="flex min-w-0 flex-col gap-0.5 px-3 py-2">
        <Link
          to="/t/$address"
          params={{ address: token.address }}
          dir="auto"
          className="truncate text-sm font-semibold after:absolute after:inset-0 after:rounded-md after:-outline-offset-2"
        >
          {toDisplayText(token.name)}
        </Link>
        <p className="flex justify-between gap-2 text-xs text-muted">
          <span className="flex min-w-0 items-center gap-1">
            <bdi className="truncate">{toDisplayText(token.symbol)}</bdi>
            {token.name_warning === null ? null : <WarningMark message={token.name_warning} />}
          </span>
          <span className="shrink-0">
            <span className="sr-only">{gallery.marketCap} </span>
            {formatUsd(token.market_cap_usd)}
          </span>
        </p>
      </div>
      {action}
    </li>
  );
}

/** Placeholders for loading pictures. */
export function GallerySkeleton({ count }: { count: number }) {
  return (
    <div className={gridStyle}>
      {[...Array(count).keys()].map((number) => (
        <div key={number} className="panel overflow-hidden">
          <Skeleton className="aspect-square w-full rounded-none" />
          <div className="flex flex-col gap-1.5 px-3 py-2.5">
            <Skeleton className="h-4 w-24" />
            <Skeleton className="h-3 w-16" />
          </div>
        </div>
      ))}
    </div>
  );
}
