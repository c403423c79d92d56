import type { Business, DirectorySource, LinkName } from "@slipway/protocol/businesses";
import type { Listing } from "@slipway/protocol/listing";
import { checksummed } from "@slipway/protocol/primitives";
import { imageSizes } from "../../compute/imageLimits.ts";
import type { Config } from "../../config.ts";

/** A listing with the data that queries read for it. */
export type BusinessRow = {
  id: string;
  source: DirectorySource;
  listing: Listing;
  created_at: Date;
  updated_at: Date;
  /** Time of the last reading of the source. */
  fetched_at: Date | null;
  website_verified: boolean;
  /** Whether the account has proven the handle in a link. A link without an entry is not proven. */
  proven_links: Partial<Record<LinkName, boolean>>;
  /** The stored picture; null if there is none. */
  image: {
    sha256: string;
    width: number;
    height: number;
    animated: boolean;
    blurhash: string;
    dominant_color: string;
    blocked: boolean;
  } | null;
  also_on?: { source: DirectorySource; id: string; url: string | null }[];
};

/** Returns the base URL of stored pictures; null if not configured. */
export function getMediaUrl({
  MEDIA_PUBLIC_URL,
  SITE_URL,
}: Pick<Config, "MEDIA_PUBLIC_URL" | "SITE_URL">): string | null {
  if (MEDIA_PUBLIC_URL !== undefined) return MEDIA_PUBLIC_URL.replace(/\/+$/, "");
  return SITE_URL === undefined ? null : `${new URL(SITE_URL).origin}/media`;
}

const noContact = { email: null, phone: null, hours: null };

/** Converts a listing to the wire format. @param mediaUrl - The result of `getMediaUrl`. */
export function toBusiness(row: BusinessRow, mediaUrl: string | null): Business {
  const { listing, source } = row;
  return {
    id: row.id,
    kind: listing.kind,
    source,
    name: listing.name,
    description: listing.description,
    category: listing.category,
    website: listing.website,
    image: toImage(row, mediaUrl),
    location: listing.location,
    address: listing.address,
    contact: source === "legacy" ? noContact : { email: listing.email, phone: listing.phone, hours: listing.hours },
    links: listing.links,
    tags: listing.tags,
    token: listing.token === null ? null : { ...listing.token, address: checksummed(listing.token.address) },
    attribution: {
      source_name: listing.attribution?.source_name ?? "Slipway",
      url: listing.attribution?.url ?? null,
      fetched_at: row.fetched_at?.toISOString() ?? null,
      licence: listing.attribution?.licence ?? null,
    },
    verified: toVerified(row),
    ...(row.also_on && { also_on: row.also_on }),
    status: "published",
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** One proven handle does not verify the other links, which can be any account's. */
function toVerified({ listing, website_verified, proven_links }: BusinessRow): Business["verified"] {
  const names = Object.keys(listing.links) as LinkName[];
  const links = Object.fromEntries(names.map((name) => [name, proven_links[name] ?? false]));
  return { website: website_verified, owner: names.length > 0 && Object.values(links).every(Boolean), links };
}

/** Converts the picture to the wire format; null for a blocked picture. */
function toImage({ listing, image }: BusinessRow, mediaUrl: string | null): Business["image"] {
  const uri = listing.image_uri;
  if (uri === null || image?.blocked) return null;
  if (image === null) {
    return {
      uri,
      sha256: null,
      width: null,
      height: null,
      animated: null,
      blurhash: null,
      dominant_color: null,
      urls: null,
    };
  }
  const { blocked: _, ...stored } = image;
  const urls = imageSizes.map((size) => [String(size), `${mediaUrl}/${image.sha256}/${size}.webp`]);
  return { uri, ...stored, urls: mediaUrl === null ? null : Object.fromEntries(urls) };
}
