import type { Business } from "@slipway/protocol/businesses";
import { toDisplayText } from "../../format/displayText.ts";
import { Icon } from "../../ui/icon.tsx";

/** The stored picture of a listing, or its initials. A URL from the listing itself would track visitors. */
export function ListingPicture({ listing, size }: { listing: Business; size: number }) {
  const url = listing.image?.urls?.[size > 64 ? "256" : "64"];
  const classes = "shrink-0 rounded-md border border-line object-cover";
  if (url) return <img src={url} alt="" width={size} height={size} loading="lazy" className={classes} />;
  const words = listing.name.slice(0, 200).match(/\p{L}[\p{L}\p{M}\p{N}'’]*/gu) ?? [];
  const initials = words.slice(0, 2).map(([letter]) => letter!.toUpperCase());
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 48 48" className={`bg-accent-soft ${classes}`}>
      <text x={24} y={24} textAnchor="middle" dominantBaseline="central" className="fill-accent text-base font-bold">
        {initials.join("")}
      </text>
    </svg>
  );
}

export function Badge({ children, verified = false }: { children: string; verified?: boolean }) {
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1 rounded-full border px-2 py-0.5 text-xs font-semibold ${verified ? "border-buy text-buy" : "border-line text-muted"}`}
    >
      {verified ? <Icon name="check" size={12} /> : null}
      <span className="truncate">{children}</span>
    </span>
  );
}

/** Returns the place of a listing in one line; empty if the listing has no address. */
export const toPlace = ({ address }: Business): string =>
  [address?.city, address?.region, address?.country].filter(Boolean).join(", ");

/** Longer than any stored name, place or tag, and than contact details and hours, in UTF-16 units. */
const [maxNameUnits, maxContactUnits] = [400, 1_000];

/** Returns the category's name from the deployment's settings; its slug until the settings load. */
export const toCategory = (slug: string, names: readonly { slug: string; name: string }[] | undefined): string =>
  toDisplayText(names?.find((each) => each.slug === slug)?.name ?? slug, maxNameUnits);

/**
 * Returns a listing with display texts: without characters that change the direction of other text, and short enough
 * that the browser does not need seconds to lay it out.
 */
export function toShownListing(listing: Business): Business {
  const { name, description, tags, address, contact, attribution } = listing;
  const shown = <Texts extends object>(texts: Texts, maxUnits: number): Texts =>
    Object.fromEntries(
      Object.entries(texts).map(([key, value]) => [
        key,
        typeof value === "string" ? toDisplayText(value, maxUnits) : value,
      ]),
    ) as Texts;
  // Not shortened: a shortened URL is a different URL.
  const url = attribution.url && toDisplayText(attribution.url, Number.POSITIVE_INFINITY);
  return {
    ...listing,
    ...shown({ name }, maxNameUnits),
    description: description && toDisplayText(description),
    tags: tags.map((tag) => toDisplayText(tag, maxNameUnits)),
    address: address && shown(address, maxNameUnits),
    contact: shown(contact, maxContactUnits),
    attribution: { ...shown(attribution, maxNameUnits), url },
  };
}
