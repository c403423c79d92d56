import type { FeedParser } from "./feedParser.ts";
import { createExternalListing, readDocument, readObject, toText } from "./rawFields.ts";

/** The feed that docs/catalogue.md documents: `{name, licence, items: [...], next}`. */
export const jsonFeed: FeedParser = {
  readPage: (document) => {
    const feed = readDocument(document);
    if (feed === null || !Array.isArray(feed.items)) return null;
    return {
      entries: feed.items,
      next: typeof feed.next === "string" && feed.next !== "" ? feed.next : null,
      name: toText(feed.name, 80),
      licence: toText(feed.licence, 200),
    };
  },

  readEntry: (raw, source) => {
    const entry = readObject(raw);
    if (entry === null) return null;
    const address = readObject(entry.address);
    const location = readObject(entry.location);
    return createExternalListing(
      {
        id: entry.id,
        name: entry.name,
        description: entry.description,
        category: entry.category,
        website: entry.website,
        image: entry.image,
        email: entry.email,
        phone: entry.phone,
        hours: entry.hours,
        tags: entry.tags,
        links: entry.links,
        url: entry.url,
        ...(address && {
          address: {
            street: address.street,
            city: address.city,
            region: address.region,
            postalCode: address.postal_code,
            country: address.country,
          },
        }),
        lat: location?.lat,
        lon: location?.lon,
      },
      source,
    );
  },
};
