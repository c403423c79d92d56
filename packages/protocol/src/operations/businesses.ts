import { z } from "zod";
import { removed } from "../accounts.ts";
import {
  business,
  businessesQuery,
  businessId,
  businessInput,
  businessList,
  directory,
  directoryQuery,
  maxListings,
  ownBusinesses,
  websiteProof,
} from "../businesses.ts";
import { text } from "../text.ts";
import { idempotencyHeaders, type OperationDefinition } from "./operationDefinition.ts";

const listingParams = z.object({ id: businessId });

const ifMatchHeaders = z.object({
  "if-match": text().min(1).max(1_024).describe("The ETag of the listing as it was read; `*` for any."),
});

/** Operations on business listings and the directory. */
export const businessesOperations = {
  listBusinesses: {
    tag: "Businesses",
    summary: "List businesses and external listings",
    description:
      "Newest first; with `q` by relevance, with `near` the nearest first. External listings name their source. " +
      "A listing never enables trading.",
    query: businessesQuery,
    answers: { 200: { description: "The listings", schema: businessList } },
    errors: ["storage_unavailable"],
  },

  getBusiness: {
    tag: "Businesses",
    summary: "Get a listing",
    description: "Of this service or of an external source. The ETag is what its owner changes it with.",
    params: listingParams,
    answers: { 200: { description: "The listing", schema: business } },
    errors: ["listing_not_found", "storage_unavailable"],
  },

  createBusiness: {
    tag: "Businesses",
    summary: "Publish a business",
    description:
      "It has no token, wallet, draft or market. Texts are cleaned, and refused where they do not show as what they are; " +
      "`details.fields` lists every fault. An identical retry with the same Idempotency-Key answers 200 with the listing, " +
      `other content 409. A refused request does not use the key. An account has at most ${maxListings} listings.`,
    headers: idempotencyHeaders,
    body: businessInput,
    answers: {
      201: { description: "The business was published", schema: business, headers: ["ETag"] },
      200: { description: "The same request was made before; the listing", schema: business, headers: ["ETag"] },
    },
    errors: ["too_many_listings", "idempotency_key_reused", "listing_not_found", "storage_unavailable"],
  },

  replaceBusiness: {
    tag: "Businesses",
    summary: "Replace a listing of the account",
    description:
      "Needs If-Match with the ETag of `GET /businesses/{id}`. Another `website` ends the proof of the former.",
    params: listingParams,
    headers: ifMatchHeaders,
    body: businessInput,
    answers: { 200: { description: "The listing as it is now", schema: business, headers: ["ETag"] } },
    errors: ["listing_not_found", "precondition_failed", "storage_unavailable"],
  },

  withdrawBusiness: {
    tag: "Businesses",
    summary: "Withdraw a listing of the account",
    description: "Needs If-Match with the ETag of `GET /businesses/{id}`. The Idempotency-Key may be used again.",
    params: listingParams,
    headers: ifMatchHeaders,
    answers: { 200: { description: "Withdrawn", schema: removed } },
    errors: ["listing_not_found", "precondition_failed", "storage_unavailable"],
  },

  proveWebsite: {
    tag: "Businesses",
    summary: "Prove that the account controls a listing's website",
    description:
      "Put `code` on a line of its own into the file at `file_url`, or into a TXT record of `dns_name`. It is looked for " +
      "within minutes, without following redirects, and again every 30 days; the same request asks for a check and for the " +
      "state. Another `website` ends the proof.",
    params: listingParams,
    answers: { 200: { description: "The proof as it is now", schema: websiteProof } },
    errors: ["listing_not_found", "invalid_fields", "storage_unavailable"],
  },

  listOwnBusinesses: {
    tag: "Businesses",
    summary: "List the account's listings with their ETags",
    description: `Newest first, all of them: at most ${maxListings}.`,
    answers: { 200: { description: "The listings", schema: ownBusinesses } },
    errors: ["storage_unavailable"],
  },

  getDirectory: {
    tag: "Businesses",
    summary: "Read the directory of all sources",
    description:
      "Own listings, external ones and tokens of earlier deployments, by relevance with `q`, else newest first. One " +
      "business is one item: the same website and name, or the same token, from several sources is listed once, with the " +
      "others under `also_on`; an own listing stands for others while its website is proven. No request waits for a source; `sources` says how old each is.",
    query: directoryQuery,
    answers: { 200: { description: "The directory", schema: directory } },
    errors: ["storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
