import type { BusinessCategory } from "./businessCategories.ts";
import type { LinkName } from "./businesses.ts";

/** The published data of a listing, as stored. */
export type Listing = {
  kind: "business" | "token";
  name: string;
  description: string | null;
  category: BusinessCategory;
  website: string | null;
  image_uri: string | null;
  email: string | null;
  phone: string | null;
  address: Record<"street" | "city" | "region" | "postal_code" | "country", string | null> | null;
  location: { lat: number; lon: number } | null;
  hours: string | null;
  tags: string[];
  links: Partial<Record<LinkName, string>>;
  token: { chain_id: number; address: string; symbol: string | null; decimals: number | null } | null;
  /** For an external listing: its page at the source, the source's name, and the licence. */
  attribution: { source_name: string; url: string | null; licence: string | null } | null;
};

/** A checked and cleaned entry of a feed. `id` is the id in the feed. */
export type ExternalListing = { id: string; listing: Listing };

/** Returns the merge key: the token, or the website's host with the name; null without a token or website. */
export function getMergeKey({ token, website, name }: Pick<Listing, "token" | "website" | "name">): string | null {
  if (token !== null) return getTokenKey(token.chain_id, token.address);
  if (website === null) return null;
  const host = new URL(website).host.replace(/^www\./, "");
  return `${host}\n${name.toLowerCase()}`;
}

export const getTokenKey = (chainId: number, address: string) => `token:${chainId}:${address.toLowerCase()}`;
