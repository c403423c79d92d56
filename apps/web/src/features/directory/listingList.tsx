import type { Business } from "@slipway/protocol/businesses";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Badge, ListingPicture, toCategory, toPlace } from "./listingName.tsx";

/** More characters than two lines show. The browser lays out the whole text before it clips the text. */
const maxShown = 300;
const gridStyle = "grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-3";
const cardStyle = "panel relative flex min-h-36 flex-col gap-2 p-4";

export function ListingList({ listings }: { listings: readonly Business[] }) {
  const { directory } = useMessages();
  const { data: settings } = useQuery({ ...readOptions("getConfig", undefined), staleTime: Infinity });
  return (
    <ul className={gridStyle}>
      {listings.map((listing) => (
        <ListingCard
          key={`${listing.source} ${listing.id}`}
          listing={listing}
          category={directory.categoryName(
            listing.category,
            toCategory(listing.category, settings?.business_categories),
          )}
        />
      ))}
    </ul>
  );
}

function ListingCard({ listing, category }: { listing: Business; category: string }) {
  const { directory } = useMessages();
  const place = toPlace(listing);
  const style =
    "line-clamp-1 font-semibold break-all after:absolute after:inset-0 after:rounded-md after:-outline-offset-2";
  return (
    <li className={`hover:border-control ${cardStyle}`}>
      <div className="flex items-start gap-3">
        <ListingPicture listing={listing} size={48} />
        <div className="min-w-0 flex-1">
          <h2>
            {listing.source === "legacy" && listing.token ? (
              <Link to="/t/$address" params={{ address: listing.token.address }} dir="auto" className={style}>
                {listing.name}
              </Link>
            ) : (
              <Link to="/business/$id" params={{ id: listing.id }} dir="auto" className={style}>
                {listing.name}
              </Link>
            )}
          </h2>
          <p className="truncate text-sm text-muted">{place === "" ? category : `${category} · ${place}`}</p>
        </div>
      </div>
      <p dir="auto" className="line-clamp-2 text-sm text-muted">
        {listing.description && toDisplayText(listing.description, maxShown)}
      </p>
      <p className="mt-auto flex flex-wrap gap-1.5">
        {listing.verified.website ? <Badge verified>{directory.verifiedWebsite}</Badge> : null}
        {listing.verified.owner ? <Badge verified>{directory.verifiedOwner}</Badge> : null}
        <Badge>{listing.attribution.source_name}</Badge>
      </p>
    </li>
  );
}

export function ListingSkeleton() {
  return (
    <div className={gridStyle}>
      {[...Array(9).keys()].map((number) => (
        <div key={number} className={cardStyle}>
          <div className="flex gap-3">
            <Skeleton className="size-12" />
            <div className="flex flex-col gap-2">
              <Skeleton className="h-5 w-40" />
              <Skeleton className="h-4 w-28" />
            </div>
          </div>
          <Skeleton className="h-9 w-full" />
        </div>
      ))}
    </div>
  );
}
