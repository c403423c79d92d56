import type { Business, LinkName } from "@slipway/protocol/businesses";
import type { ReactNode } from "react";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { ExternalLink } from "../../ui/externalLink.tsx";
import { Time } from "../../ui/time.tsx";
import { Badge } from "./listingName.tsx";
import { useSourceNames } from "./useSourceNames.ts";

/** More characters than the line of a link shows. */
const maxLinkUnits = 200;

/** Whether a URI becomes a link: only https. Other URIs are shown as text. */
const isWebLink = (uri: string | null | undefined): uri is string => uri?.startsWith("https://") ?? false;
const withoutScheme = (uri: string) =>
  toDisplayText(uri, maxLinkUnits)
    .replace(/^https:\/\//, "")
    .replace(/\/$/, "");

function TextOrLink({ text, uri }: { text: string | null; uri: string | null }) {
  if (text === null) return "—";
  return isWebLink(uri) ? <ExternalLink href={uri}>{withoutScheme(text)}</ExternalLink> : toDisplayText(text);
}

/** The facts of a listing, one per line; missing facts are omitted. */
export function ListingFacts({ listing, category }: { listing: Business; category: string }) {
  const { directory } = useMessages();
  const { address, contact, links, token, attribution, also_on: alsoOn = [] } = listing;
  const toName = useSourceNames(alsoOn.map(({ source }) => source));
  const street = address && [address.street, [address.postal_code, address.city].filter(Boolean).join(" ")];
  const place = [...(street ?? []), address?.region, address?.country].filter(Boolean).join(", ");
  const webLinks = (Object.entries(links) as [LinkName, string][])
    .filter(([, uri]) => isWebLink(uri))
    .map(([name, uri]) => (
      <span key={name} className="flex flex-wrap items-center gap-1.5">
        <TextOrLink text={uri} uri={uri} />
        {listing.verified.links[name] ? <Badge verified>{directory.verifiedLink}</Badge> : null}
      </span>
    ));
  const facts: { name: string; value: ReactNode }[] = [
    { name: directory.category, value: category },
    { name: directory.website, value: listing.website && <TextOrLink text={listing.website} uri={listing.website} /> },
    { name: directory.address, value: place },
    { name: directory.hours, value: contact.hours && <span className="whitespace-pre-line">{contact.hours}</span> },
    { name: directory.phone, value: contact.phone },
    { name: directory.email, value: contact.email },
    { name: directory.links, value: webLinks.length > 0 && <span className="flex flex-col gap-1">{webLinks}</span> },
    { name: directory.token, value: token && <Address value={token.address} to="token" copy /> },
    { name: directory.tags, value: listing.tags.join(", ") },
    { name: directory.alsoOn, value: alsoOn.map((each) => toName(each.source)).join(", ") },
    { name: directory.from, value: <TextOrLink text={attribution.source_name} uri={attribution.url} /> },
    { name: directory.licence, value: attribution.licence },
    { name: directory.updated, value: <Time value={listing.updated_at} /> },
  ];
  return (
    <dl className="panel divide-y divide-line text-sm">
      {facts
        .filter(({ value }) => Boolean(value))
        .map(({ name, value }) => (
          <div key={name} className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-3 px-4 py-2.5">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
