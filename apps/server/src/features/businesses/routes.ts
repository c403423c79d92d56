import { type Business, business, defaultRadiusKm, type WebsiteProof } from "@slipway/protocol/businesses";
import { SlipwayError } from "@slipway/protocol/errors";
import { serializeJson } from "../../cache/cachedResponse.ts";
import { createVersionedCache } from "../../cache/createVersionedCache.ts";
import { createSignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { getProofPlaces } from "../../providers/websiteProof/checkWebsite.ts";
import { createRoute, type Route } from "../../route.ts";
import { findLegacy, getIndexedChain, readListingVersion } from "./directoryQueries.ts";
import { directoryRoutes } from "./directoryRoutes.ts";
import { hashJson, prepareListing, toColumns } from "./listing.ts";
import { type MatchesEtag, replaceListing, requestProof, storeListing, withdrawListing } from "./listingQueries.ts";
import { readListPage, toSearch } from "./listPage.ts";
import { findBusiness, listOwnBusinesses, type ProofRow } from "./queries.ts";
import { type BusinessRow, getMediaUrl, toBusiness } from "./toBusiness.ts";

/** 128 random bits. */
const proofCodeBytes = 16;

/** Whether an If-Match header names an ETag. Source: RFC 9110, 13.1.1: weak ETags never match. */
export function matchesEtag(header: string, etag: string): boolean {
  return header.split(",").some((entry) => [etag, "*"].includes(entry.trim()));
}

/** Routes of business listings and of the directory. */
export function businessesRoutes(deps: Deps): Route[] {
  const { api, newest, read } = deps.db;
  const mediaUrl = getMediaUrl(deps.config);
  const cursors = createSignedCursors(deps.db, deps.ids);
  // The version excludes proofs of handles and websites, blocked pictures of listings, and sources that become stale.
  const cache = createVersionedCache({
    clock: deps.clock,
    maxBytes: deps.config.READ_CACHE_BYTES,
    readVersion: () => deps.db.readNewest(readListingVersion),
  });

  const toAnswer = (row: BusinessRow): Business => toBusiness(row, mediaUrl);
  /** The ETag of `GET /businesses/{id}`. */
  const getEtag = (row: BusinessRow) => serializeJson(business.parse(toAnswer(row))).etag!;
  const find = async (id: string): Promise<BusinessRow | null> => {
    const [, token] = /^legacy:(0x.*)$/.exec(id) ?? [];
    if (token === undefined) return await findBusiness(newest, id);
    const row = await findLegacy(read, await getIndexedChain(read), token.toLowerCase());
    if (row === null) return null;
    // Omits `also_on`, which only the directory shows.
    const { also_on: _, ...listing } = row;
    return listing;
  };
  const createMatch =
    (header: string): MatchesEtag =>
    (row) =>
      matchesEtag(header, getEtag(row));

  return [
    createRoute("listBusinesses", {
      cache: "public-10s",
      handle: async ({ query }) => {
        const { source, kind, category, country, near, limit, cursor } = query;
        if (near === undefined && query.radius_km !== undefined) {
          throw new SlipwayError("invalid_query", "radius_km must be sent together with near.", { field: "radius_km" });
        }
        const filter = {
          list: "businesses",
          ...{ source: source === "all" ? null : source, kind, category, country },
          near: near && { ...near, radiusKm: query.radius_km ?? defaultRadiusKm },
          search: toSearch(query.q),
        };
        return await cache.getResponse(JSON.stringify([filter, limit, cursor]), async () => {
          const page = await readListPage(read, cursors, { filter, limit, cursor }, mediaUrl);
          return { items: page.items, next_cursor: page.nextCursor };
        });
      },
    }),

    createRoute("getBusiness", {
      cache: "public-10s",
      handle: async (input) => {
        const row = await find(input.params.id);
        if (row === null) throw new SlipwayError("listing_not_found");
        return toAnswer(row);
      },
    }),

    createRoute("createBusiness", {
      handle: async ({ headers, body, principal, request, reply }) => {
        const { stored, isNew } = await storeListing(deps.db, {
          id: deps.ids.uuid(),
          accountId: principal.accountId,
          idempotencyKey: headers["idempotency-key"],
          bodyHash: hashJson(request.sentBody),
          columns: toColumns(prepareListing(body), mediaUrl),
        });
        reply.code(isNew ? 201 : 200).header("etag", getEtag(stored));
        return toAnswer(stored);
      },
    }),

    createRoute("replaceBusiness", {
      handle: async (input) => {
        const row = await replaceListing(api, {
          accountId: input.principal.accountId,
          id: input.params.id,
          matches: createMatch(input.headers["if-match"]),
          columns: toColumns(prepareListing(input.body), mediaUrl),
        });
        input.reply.header("etag", getEtag(row));
        return toAnswer(row);
      },
    }),

    createRoute("withdrawBusiness", {
      handle: async (input) => {
        const matches = createMatch(input.headers["if-match"]);
        await withdrawListing(api, { accountId: input.principal.accountId, id: input.params.id, matches });
        return { removed: true };
      },
    }),

    createRoute("proveWebsite", {
      handle: async (input) => {
        const { accountId } = input.principal;
        const code = Buffer.from(deps.ids.bytes(proofCodeBytes)).toString("hex");
        return toWebsiteProof(await requestProof(api, { accountId, id: input.params.id, code, requireWebsite }));
      },
    }),

    createRoute("listOwnBusinesses", {
      handle: async ({ principal }) => {
        const rows = await listOwnBusinesses(api, principal.accountId);
        return {
          items: rows.map((row) => ({
            business: toAnswer(row),
            etag: getEtag(row),
            website_proof: row.proof && toWebsiteProof(row.proof),
          })),
        };
      },
    }),

    ...directoryRoutes(deps, cache),
  ];
}

/** Converts a proof to the wire format. */
function toWebsiteProof({ website, code, status, reason }: ProofRow): WebsiteProof {
  const { fileUrl, dnsName } = getProofPlaces(website);
  return { code, file_url: fileUrl, dns_name: dnsName, status, reason };
}

/** @throws SlipwayError `invalid_fields`. */
function requireWebsite(website: string | null): string {
  if (website !== null) return website;
  throw new SlipwayError("invalid_fields", "The listing has no website; add one first.", { field: "website" });
}
