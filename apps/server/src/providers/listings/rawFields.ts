import { type BusinessCategory, categorySlugs } from "@slipway/protocol/businessCategories";
import { isLinkOfHost, type LinkName, linkNames, listingLengths } from "@slipway/protocol/businesses";
import { countryCodes } from "@slipway/protocol/countries";
import type { ExternalListing, Listing } from "@slipway/protocol/listing";
import { toPublishedText } from "@slipway/protocol/publishedText";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import type { Raw } from "../../chain/rpcPool.ts";

/** An object of a feed with fields of any type. */
export type RawFields = Record<string, unknown>;

/** Returns an untrusted value if it is an object, otherwise null. */
export function readObject(raw: unknown): RawFields | null {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as RawFields) : null;
}

/** Returns the object of a document. */
export const readDocument = (raw: Raw<unknown>): RawFields | null => readObject(raw);

/** Returns the value, or the first element of a list. */
export const readFirst = (raw: unknown): unknown => (Array.isArray(raw) ? raw[0] : raw);

/** A feed's fields for a listing, each of any type. */
export type RawListing = {
  id: unknown;
  kind?: "business" | "token";
  name: unknown;
  description?: unknown;
  category?: unknown;
  website?: unknown;
  image?: unknown;
  email?: unknown;
  phone?: unknown;
  address?: { street?: unknown; city?: unknown; region?: unknown; postalCode?: unknown; country?: unknown };
  lat?: unknown;
  lon?: unknown;
  hours?: unknown;
  tags?: unknown;
  /** URLs: an object by the kind of link, or a list whose hosts determine the kinds. */
  links?: unknown;
  token?: Listing["token"];
  /** The listing's page at its source. */
  url?: unknown;
};

/** The source and the licence of listings. */
export type FeedSource = { name: string; licence: string | null };

/**
 * Converts a feed's fields to a listing. Omits optional fields that are invalid: an invalid link, a place that does not
 * exist, an unknown category.
 *
 * @returns Null for an entry without a usable id or name, which the caller counts and skips.
 */
export function createExternalListing(raw: RawListing, source: FeedSource): ExternalListing | null {
  const id = typeof raw.id === "number" ? String(raw.id) : raw.id;
  const name = toText(raw.name, listingLengths.name);
  // ASCII only: the database and JavaScript sort ASCII identically.
  if (typeof id !== "string" || !/^[\x21-\x7e]{1,128}$/.test(id) || name === null) return null;
  const listing: Listing = {
    kind: raw.kind ?? "business",
    name,
    description: toText(raw.description, listingLengths.description, true),
    category: categorySlugs.includes(raw.category as BusinessCategory) ? (raw.category as BusinessCategory) : "other",
    website: toPublishedUri(raw.website, ["https"]),
    image_uri: toPublishedUri(raw.image, ["ipfs", "https"]),
    email: toEmail(raw.email),
    phone: toPhone(raw.phone),
    address: toAddress(raw.address),
    location: toLocation(raw.lat, raw.lon),
    hours: toText(raw.hours, listingLengths.hours, true),
    tags: toTags(raw.tags),
    links: toLinks(raw.links),
    token: raw.token ?? null,
    attribution: { source_name: source.name, url: toPublishedUri(raw.url, ["https"]), licence: source.licence },
  };
  return { id, listing };
}

export const toText = (value: unknown, maxLength: number, lines = false) =>
  toPublishedText(value, { maxLength, lines });

function toEmail(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 254) return null;
  const email = value.replace(/^mailto:/i, "");
  return /^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(email) ? email : null;
}

function toPhone(value: unknown): string | null {
  const digits = typeof value === "string" && value.length <= 40 ? value.replace(/^tel:|[\s().-]/gi, "") : "";
  return /^\+[1-9]\d{1,14}$/.test(digits) ? digits : null;
}

function toAddress(raw: RawListing["address"]): Listing["address"] {
  if (raw === undefined) return null;
  const country = typeof raw.country === "string" ? raw.country.toUpperCase() : "";
  const address = {
    street: toText(raw.street, 200),
    city: toText(raw.city, 100),
    region: toText(raw.region, 100),
    postal_code: toText(raw.postalCode, 20),
    country: countryCodes.has(country) ? country : null,
  };
  return Object.values(address).some((part) => part !== null) ? address : null;
}

/** Parses a number, or the text of a decimal number. */
function toNumber(value: unknown): number {
  if (typeof value === "string" && /^\s*[+-]?\d{1,3}(\.\d{1,20})?\s*$/.test(value)) return Number(value);
  return typeof value === "number" ? value : Number.NaN;
}

function toLocation(rawLat: unknown, rawLon: unknown): Listing["location"] {
  const lat = toNumber(rawLat);
  const lon = toNumber(rawLon);
  // Sources without a location often use exactly 0, 0.
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180) || (lat === 0 && lon === 0)) return null;
  return { lat, lon };
}

const maxTags = 10;

function toTags(raw: unknown): string[] {
  const texts = typeof raw === "string" ? raw.slice(0, 1_000).split(",") : Array.isArray(raw) ? raw.slice(0, 50) : [];
  const tags = texts
    .filter((tag): tag is string => typeof tag === "string" && tag.length <= 100)
    .map((tag) =>
      tag
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, ""),
    )
    .filter((tag) => /^[a-z0-9-]{1,32}$/.test(tag));
  return [...new Set(tags)].slice(0, maxTags);
}

function toLinks(raw: unknown): Listing["links"] {
  const links: Partial<Record<LinkName, string>> = {};
  const named = readObject(raw);
  const listed = (Array.isArray(raw) ? raw.slice(0, 50) : [raw]).map((entry) => toPublishedUri(entry, ["https"]));
  for (const name of linkNames) {
    const candidates = named === null ? listed : [toPublishedUri(named[name], ["https"])];
    const link = candidates.find((candidate) => candidate !== null && isLinkOfHost(name, candidate));
    if (link) links[name] = link;
  }
  return links;
}
