import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { readOptions } from "../data/queries.ts";
import { OwnerPanel } from "../features/business/ownerPanel.tsx";
import { ListingFacts } from "../features/directory/listingFacts.tsx";
import { Badge, ListingPicture, toCategory, toShownListing } from "../features/directory/listingName.tsx";
import { ReportButton } from "../features/report/reportButton.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { buttonClasses } from "../ui/button.tsx";
import { EmptyState } from "../ui/emptyState.tsx";
import { ErrorNote, getErrorCode } from "../ui/errorNote.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";

const route = getRouteApi("/business/$id");

export function BusinessPage() {
  const { directory } = useMessages();
  const { id } = route.useParams();
  const { data, error, isFetching, refetch } = useQuery(readOptions("getBusiness", { id }));
  const { data: settings } = useQuery({ ...readOptions("getConfig", undefined), staleTime: Infinity });
  const listing = data && toShownListing(data);
  usePageTitle(listing?.name ?? directory.title);
  const isMissing = ["listing_not_found", "not_found", "invalid_request", "invalid_query"].includes(
    getErrorCode(error) ?? "",
  );

  return (
    <div className="page flex flex-col gap-5 py-6">
      <Link to="/directory" className="inline-flex items-center gap-1.5 self-start text-sm font-semibold text-accent">
        <Icon name="arrowUp" size={14} className="-rotate-90 rtl:rotate-90" />
        {directory.back}
      </Link>
      {listing ? null : (
        <h1 className="text-xl font-bold sm:text-2xl">{isMissing ? directory.missing : directory.title}</h1>
      )}
      {isMissing ? (
        <EmptyState
          text={directory.missingBody}
          action={
            <Link to="/directory" className={buttonClasses()}>
              {directory.back}
            </Link>
          }
        />
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : null}
      {!listing && !error ? (
        <div className="flex flex-col gap-4">
          <Skeleton className="h-20 w-80" />
          <Skeleton className="h-64 w-full" />
        </div>
      ) : null}
      {listing ? (
        <>
          <div className="flex items-center gap-4">
            <ListingPicture listing={listing} size={80} />
            <div className="min-w-0">
              <h1 dir="auto" className="text-xl font-bold break-words sm:text-2xl">
                {listing.name}
              </h1>
              <p className="mt-2 flex flex-wrap gap-1.5">
                {listing.verified.website ? <Badge verified>{directory.verifiedWebsite}</Badge> : null}
                {listing.verified.owner ? <Badge verified>{directory.verifiedOwner}</Badge> : null}
                <Badge>
                  {listing.source.startsWith("partner")
                    ? listing.attribution.source_name
                    : directory.sources[listing.source]}
                </Badge>
              </p>
            </div>
          </div>
          {listing.verified.website || listing.verified.owner ? null : (
            <Notice tone="info">{directory.unverified}</Notice>
          )}
          {listing.source === "own" ? <OwnerPanel id={listing.id} /> : null}
          <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
            <p dir="auto" className="panel min-w-0 p-5 break-words whitespace-pre-line">
              {listing.description}
            </p>
            <div className="flex min-w-0 flex-col gap-3">
              <ListingFacts
                listing={listing}
                category={directory.categoryName(
                  listing.category,
                  toCategory(listing.category, settings?.business_categories),
                )}
              />
              {listing.source === "legacy" ? null : (
                <p className="text-end">
                  <ReportButton reported={{ kind: "listing", id: listing.id, name: listing.name }} />
                </p>
              )}
            </div>
          </div>
        </>
      ) : null}
    </div>
  );
}
