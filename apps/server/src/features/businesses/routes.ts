import { removed } from "@slipway/protocol/accounts";
import {
  type Business,
  business,
  businessesQuery,
  businessId,
  businessInput,
  businessList,
  defaultRadiusKm,
  maxListings,
  ownBusinesses,
  type WebsiteProof,
  websiteProof,
} from "@slipway/protocol/businesses";
import { SlipwayError } from "@slipway/protocol/errors";
import { idempotencyKey } from "@slipway/protocol/intent";
import { text } from "@slipway/protocol/text";
import { z } from "zod";
import { serializeJson } from "../../cache/cachedResponse.ts";
import { createVersionedCache } from "../../cache/createVersionedCache.ts";
import { createSignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { getProofPlaces } from "../../providers/websiteProof/checkWebsite.ts";
import { guardedRoute, publicRoute, type Route } from "../../route.ts";
import { findLegacy, getIndexedChain, readListingVersion } from "./directoryQueries.ts";
import { directoryRoutes } from "./directoryRoutes.ts";
import { hashJson, prepareListing, toColumns } from "./listing.ts";
import { type MatchesEtag, replaceListing, requestProof, storeListing, withdrawListing } from "./listingQueries.ts";
import { readListPage, toSearch } from "./listPage.ts";
import { findBusiness, listOwnBusinesses, type ProofRow } from "./queries.ts";
import { type BusinessRow, getMediaUrl, toBusiness } from "./toBusiness.ts";

/** 128 random bits. */
const proofCodeBytes = 16;

const params = z.object({ id: businessId });

const ifMatch = z.object({
  "if-match": text().min(1).max(1_024).describe("The ETag of the listing as it was read; `*` for any."),
});

/** Whether an If-Match header names an ETag. Source: RFC 9110, 13.1.1: weak ones never match. */
export function matchesEtag(header: string, etag: string): boolean {
  return header.split(",").some((entry) => [etag, "*"].includes(entry.trim()));
}

/** Routes of business listings and of the directory. */
export function businessesRoutes(deps: Deps): Route[] {
  const { api, read } = deps.db;
  const mediaUrl = getMediaUrl(deps.config);
  const cursors = createSignedCursors(api, deps.ids);
  // Proofs of handles and websites, blocked pictures of listings, and a source that becomes stale are in no version.
  const cache = createVersionedCache({
    clock: deps.clock,
    maxBytes: deps.config.READ_CACHE_BYTES,
    readVersion: () => readListingVersion(read),
  });
  const common = { tag: "Businesses" } as const;

  const toAnswer = (row: BusinessRow): Business => toBusiness(row, mediaUrl);
  /** The ETag of `GET /businesses/{id}`. */
  const getEtag = (row: BusinessRow) => serializeJson(business.parse(toAnswer(row))).etag!;
  const find = async (id: string): Promise<BusinessRow | null> => {
    const [, token] = /^legacy:(0x.*)$/.exec(id) ?? [];
    if (token === undefined) return await findBusiness(api, id);
    const row = await findLegacy(read, await getIndexedChain(read), token.toLowerCase());
    if (row === null) return null;
    // What else the directory says of it belongs to its order.
    const { also_on: _, ...listing } = row;
    return listing;
  };
  const createMatch =
    (header: string): MatchesEtag =>
    (row) =>
      matchesEtag(header, getEtag(row));

  return [
    publicRoute({
      ...common,
      method: "GET",
      path: "/businesses",
      name: "listBusinesses",
      summary: "List businesses and external listings",
      description:
        "Newest first; with `q` by relevance, with `near` the nearest first. External listings name their source. " +
        "A listing never enables trading.",
      schemas: { query: businessesQuery },
      answers: { 200: { description: "The listings", schema: businessList } },
      errors: ["storage_unavailable"],
      cache: "public-10s",
      handle: async ({ query }) => {
        const { source, kind, category, country, near, limit, cursor } = query;
        if (near === undefined && query.radius_km !== undefined) {
          throw new SlipwayError("invalid_query", "radius_km must come with near.", { field: "radius_km" });
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

    publicRoute({
      ...common,
      method: "GET",
      path: "/businesses/:id",
      name: "getBusiness",
      summary: "Get a listing",
      description: "Of this service or of an external source. The ETag is what its owner changes it with.",
      schemas: { params },
      answers: { 200: { description: "The listing", schema: business } },
      errors: ["listing_not_found", "storage_unavailable"],
      cache: "public-10s",
      handle: async (input) => {
        const row = await find(input.params.id);
        if (row === null) throw new SlipwayError("listing_not_found");
        return toAnswer(row);
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/businesses",
      name: "createBusiness",
      summary: "Publish a business",
      description:
        "It has no token, wallet, draft or market. Texts are cleaned, and refused where they do not show as what they are; " +
        "`details.fields` lists every fault. An identical retry with the same Idempotency-Key answers 200 with the listing, " +
        `other content 409. A refused request does not use the key. An account has at most ${maxListings} listings.`,
      schemas: { headers: z.object({ "idempotency-key": idempotencyKey }), body: businessInput },
      answers: {
        201: { description: "The business was published", schema: business, headers: ["ETag"] },
        200: { description: "The same request was made before; the listing", schema: business, headers: ["ETag"] },
      },
      errors: ["too_many_listings", "idempotency_key_reused", "listing_not_found", "storage_unavailable"],
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

    guardedRoute({
      ...common,
      method: "PUT",
      path: "/businesses/:id",
      name: "replaceBusiness",
      summary: "Replace a listing of the account",
      description:
        "Needs If-Match with the ETag of `GET /businesses/{id}`. Another `website` ends the proof of the former.",
      schemas: { params, headers: ifMatch, body: businessInput },
      answers: { 200: { description: "The listing as it is now", schema: business, headers: ["ETag"] } },
      errors: ["listing_not_found", "precondition_failed", "storage_unavailable"],
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

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/businesses/:id",
      name: "withdrawBusiness",
      summary: "Withdraw a listing of the account",
      description: "Needs If-Match with the ETag of `GET /businesses/{id}`. The Idempotency-Key may be used again.",
      schemas: { params, headers: ifMatch },
      answers: { 200: { description: "Withdrawn", schema: removed } },
      errors: ["listing_not_found", "precondition_failed", "storage_unavailable"],
      handle: async (input) => {
        const matches = createMatch(input.headers["if-match"]);
        await withdrawListing(api, { accountId: input.principal.accountId, id: input.params.id, matches });
        return { removed: true };
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/businesses/:id/website-proof",
      name: "proveWebsite",
      summary: "Prove that the account controls a listing's website",
      description:
        "Put `code` on a line of its own into the file at `file_url`, or into a TXT record of `dns_name`. It is looked for " +
        "within minutes, without following redirects, and again every 30 days; the same request asks for a check and for the " +
        "state. Another `website` ends the proof.",
      schemas: { params },
      answers: { 200: { description: "The proof as it is now", schema: websiteProof } },
      errors: ["listing_not_found", "invalid_fields", "storage_unavailable"],
      handle: async (input) => {
        const { accountId } = input.principal;
        const code = Buffer.from(deps.ids.bytes(proofCodeBytes)).toString("hex");
        return toWebsiteProof(await requestProof(api, { accountId, id: input.params.id, code, requireWebsite }));
      },
    }),

    guardedRoute({
      ...common,
      site: true,
      method: "GET",
      path: "/api/account/businesses",
      name: "listOwnBusinesses",
      summary: "List the account's listings with their ETags",
      description: `Newest first, all of them: at most ${maxListings}.`,
      answers: { 200: { description: "The listings", schema: ownBusinesses } },
      errors: ["storage_unavailable"],
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
