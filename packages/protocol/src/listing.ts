import type { BusinessCategory } from "./businessCategories.ts";
import type { LinkName } from "./businesses.ts";

/** What is published of a listing, as it is stored. */
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
  /** Of an external listing: its page there, whose it is, and under which licence. */
  attribution: { source_name: string; url: string | null; licence: string | null } | null;
};

/** An entry of a feed, checked and cleaned. `id` is that of the feed. */
export type ExternalListing = { id: string; listing: Listing };

/** What listings of several sources have in common when they are one business: website's host and name; or the token. */
export function getMergeKey({ token, website, name }: Pick<Listing, "token" | "website" | "name">): string | null {
  if (token !== null) return getTokenKey(token.chain_id, token.address);
  if (website === null) return null;
  const host = new URL(website).host.replace(/^www\./, "");
  return `${host}\n${name.toLowerCase()}`;
}

export const getTokenKey = (chainId: number, address: string) => `token:${chainId}:${address.toLowerCase()}`;
