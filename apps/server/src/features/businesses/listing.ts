import { createHash } from "node:crypto";
import { type BusinessInput, linkNames, listingLengths } from "@slipway/protocol/businesses";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { getMergeKey, type Listing } from "@slipway/protocol/listing";
import { preparePublishedText } from "@slipway/protocol/publishedText";
import { toPublishedUri } from "@slipway/protocol/publishedUri";

/** Returns the normal form of a text that the schema has accepted. */
const clean = (value: string, maxLength: number, lines = false): string => {
  const prepared = preparePublishedText(value, { maxLength, lines });
  if (!prepared.ok) throw new Error("the schema accepts a text that cannot be published");
  return prepared.text;
};

const cleanUri = (value: string | undefined) => (value === undefined ? null : toPublishedUri(value, ["ipfs", "https"]));

/** Converts a valid input to the stored listing, with texts and URIs in their normal form. */
export function prepareListing(input: BusinessInput): Listing {
  const { address, links = {} } = input;
  const short = (value: string | undefined) => (value === undefined ? null : clean(value, 200));
  return {
    kind: "business",
    name: clean(input.name, listingLengths.name),
    description: clean(input.description, listingLengths.description, true),
    category: input.category,
    website: cleanUri(input.website),
    image_uri: cleanUri(input.image_uri),
    email: input.email ?? null,
    phone: input.phone ?? null,
    address:
      address === undefined
        ? null
        : {
            street: short(address.street),
            city: short(address.city),
            region: short(address.region),
            postal_code: short(address.postal_code),
            country: address.country ?? null,
          },
    location: input.location ?? null,
    hours: input.hours === undefined ? null : clean(input.hours, listingLengths.hours, true),
    tags: [...new Set(input.tags)],
    links: Object.fromEntries(linkNames.flatMap((name) => (links[name] ? [[name, cleanUri(links[name])!]] : []))),
    token: null,
    attribution: null,
  };
}

/** The columns of `app.listings` that are derived from a listing. */
export type ListingColumns = {
  kind: string;
  listing: Listing;
  name: string;
  search_text: string;
  category: string;
  country: string | null;
  lat: number | null;
  lon: number | null;
  /** In hex. */
  image_sha256: string | null;
  image_cid: string | null;
  merge_key: string | null;
};

/** Derives the columns of a listing. @param mediaUrl - Base URL of stored pictures; null if not configured. */
export function toColumns(listing: Listing, mediaUrl: string | null): ListingColumns {
  const { address, location, image_uri: image } = listing;
  const searched = [
    listing.name,
    listing.token?.symbol,
    listing.token?.address,
    ...listing.tags,
    address?.city,
    address?.region,
    listing.website === null ? null : new URL(listing.website).hostname,
    listing.description,
  ];
  return {
    kind: listing.kind,
    listing,
    name: listing.name.toLowerCase(),
    search_text: searched.filter(Boolean).join("\n").toLowerCase(),
    category: listing.category,
    country: address?.country ?? null,
    lat: location?.lat ?? null,
    lon: location?.lon ?? null,
    image_sha256: image !== null && mediaUrl !== null ? getStoredSha256(image, mediaUrl) : null,
    image_cid: /^ipfs:\/\/([A-Za-z0-9]+)$/.exec(image ?? "")?.[1] ?? null,
    merge_key: getMergeKey(listing),
  };
}

function getStoredSha256(uri: string, mediaUrl: string): string | null {
  return uri.startsWith(`${mediaUrl}/`)
    ? (/^([0-9a-f]{64})\.webp$/.exec(uri.slice(mediaUrl.length + 1))?.[1] ?? null)
    : null;
}

/** Hashes JSON with SHA-256, independent of the order of its keys. */
export const hashJson = (value: unknown): Buffer => createHash("sha256").update(canonicalJson(value)).digest();
