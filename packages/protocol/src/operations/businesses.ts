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
  "if-match": text().min(1).max(1_024).describe("The ETag of the listing from your last read, or `*` for any."),
});

/** Operations on business listings and the directory. */
export const businessesOperations = {
  listBusinesses: {
    tag: "Businesses",
    summary: "List businesses and external listings",
    description:
      "Newest first; with `q` by relevance, with `near` the nearest first. External listings have the name of their " +
      "source. A listing does not make a token tradable.",
    query: businessesQuery,
    answers: { 200: { description: "The listings", schema: businessList } },
    errors: ["storage_unavailable"],
  },

  getBusiness: {
    tag: "Businesses",
    summary: "Get a listing",
    description:
      "A listing of this service or of an external source. Send the ETag as If-Match to change or withdraw it.",
    params: listingParams,
    answers: { 200: { description: "The listing", schema: business } },
    errors: ["listing_not_found", "storage_unavailable"],
  },

  createBusiness: {
    tag: "Businesses",
    summary: "Publish a business",
    description:
      "A business has no token, wallet, draft or market. Texts are normalised, and are refused if they could be " +
      "mistaken for something else; `details.fields` lists every invalid field. A retry of the same request with " +
      "the same Idempotency-Key answers 200 with the listing; a different request with the same key is 409. A " +
      `refused request does not use the key. An account can have at most ${maxListings} listings.`,
    headers: idempotencyHeaders,
    body: businessInput,
    answers: {
      201: { description: "The business was published", schema: business, headers: ["ETag"] },
      200: { description: "Retry of an earlier request: the listing", schema: business, headers: ["ETag"] },
    },
    errors: ["too_many_listings", "idempotency_key_reused", "listing_not_found", "storage_unavailable"],
  },

  replaceBusiness: {
    tag: "Businesses",
    summary: "Replace a listing of the account",
    description: "Needs If-Match with the ETag of `GET /businesses/{id}`. A new `website` is unverified.",
    params: listingParams,
    headers: ifMatchHeaders,
    body: businessInput,
    answers: { 200: { description: "The changed listing", schema: business, headers: ["ETag"] } },
    errors: ["listing_not_found", "precondition_failed", "storage_unavailable"],
  },

  withdrawBusiness: {
    tag: "Businesses",
    summary: "Withdraw a listing of the account",
    description:
      "Needs If-Match with the ETag of `GET /businesses/{id}`. The Idempotency-Key of the listing can be used " +
      "again.",
    params: listingParams,
    headers: ifMatchHeaders,
    answers: { 200: { description: "Withdrawn", schema: removed } },
    errors: ["listing_not_found", "precondition_failed", "storage_unavailable"],
  },

  proveWebsite: {
    tag: "Businesses",
    summary: "Verify that the account controls a listing's website",
    description:
      "Put `code` on its own line into the file at `file_url`, or into a TXT record of `dns_name`. The service " +
      "checks within minutes, without following redirects, and again every 30 days. Repeat the request to get the " +
      "status and to check again. A new `website` must be verified again.",
    params: listingParams,
    answers: { 200: { description: "The status of the verification", schema: websiteProof } },
    errors: ["listing_not_found", "invalid_fields", "storage_unavailable"],
  },

  listOwnBusinesses: {
    tag: "Businesses",
    summary: "List the account's listings with their ETags",
    description: `All listings of the account, newest first; at most ${maxListings}.`,
    answers: { 200: { description: "The listings", schema: ownBusinesses } },
    errors: ["storage_unavailable"],
  },

  getDirectory: {
    tag: "Businesses",
    summary: "List the directory of all sources",
    description:
      "Own listings, external listings and tokens of earlier deployments: by relevance with `q`, otherwise newest " +
      "first. A business or a token that several sources list is one item, with the other sources in `also_on`; an " +
      "own listing comes first while its website is verified. `sources` has the age of each source.",
    query: directoryQuery,
    answers: { 200: { description: "The directory", schema: directory } },
    errors: ["storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
