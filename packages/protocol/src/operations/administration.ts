import { z } from "zod";
import { removed } from "../accounts.ts";
import {
  accountsQuery,
  administeredAccounts,
  bookedCredits,
  creditGrant,
  planGrant,
  startedPlan,
} from "../administration.ts";
import { addedDenial, deniedImages, deniedImagesQuery, imageDenial } from "../deniedImages.ts";
import { moderated, moderatedIds, moderation, receivedReport, report } from "../moderation.ts";
import { idempotencyHeaders, type OperationDefinition } from "./operationDefinition.ts";

/** Operations of the operator, and reports to the operator. */
export const administrationOperations = {
  listAccounts: {
    tag: "Administration",
    summary: "List all accounts with plan, credits and keys, newest first",
    description:
      "`keys` counts the active keys. Pass `next_before` as `before` to get the next page; it is null on the last " +
      "page.",
    query: accountsQuery,
    scope: "admin",
    answers: { 200: { description: "The accounts", schema: administeredAccounts } },
    errors: ["storage_unavailable"],
  },

  startPlan: {
    tag: "Administration",
    summary: "Start a plan for an account",
    description: "The plan starts now. Without `days` it never expires.",
    body: planGrant,
    scope: "admin",
    answers: { 200: { description: "The started plan", schema: startedPlan } },
    errors: ["storage_unavailable"],
  },

  grantCredits: {
    tag: "Administration",
    summary: "Add credits to an account, or remove them",
    description:
      "Booked once for each Idempotency-Key and account: a retry returns the same transaction; another amount or " +
      "reason is 409. The balance never falls below zero.",
    headers: idempotencyHeaders,
    body: creditGrant,
    scope: "admin",
    answers: { 200: { description: "The transaction", schema: bookedCredits } },
    errors: ["insufficient_credits", "idempotency_key_reused", "storage_unavailable"],
  },

  moderateListing: {
    tag: "Administration",
    summary: "Block or unblock a listing",
    description: "A blocked listing is 404 and is not listed. Each change is stored in an audit log with its reason.",
    params: z.object({
      id: moderatedIds.listing.describe(
        "The id of the listing, the address of the token or the opening, or the SHA-256 of the image.",
      ),
    }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change as stored in the audit log", schema: moderated } },
    errors: ["invalid_request", "listing_not_found", "storage_unavailable"],
  },

  moderateToken: {
    tag: "Administration",
    summary: "Block or unblock a token",
    description:
      "A blocked token is not listed and has no image. Its page, trades, candles and transactions stay available, " +
      "with the warning `blocked`, so that holders can sell and claim. Each change is stored in an audit log with " +
      "its reason.",
    params: z.object({
      id: moderatedIds.token.describe(
        "The id of the listing, the address of the token or the opening, or the SHA-256 of the image.",
      ),
    }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change as stored in the audit log", schema: moderated } },
    errors: ["invalid_request", "token_not_indexed", "storage_unavailable"],
  },

  moderateImage: {
    tag: "Administration",
    summary: "Block or unblock an image",
    description: "A blocked image is 404 and is not shown. Each change is stored in an audit log with its reason.",
    params: z.object({
      id: moderatedIds.image.describe(
        "The id of the listing, the address of the token or the opening, or the SHA-256 of the image.",
      ),
    }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change as stored in the audit log", schema: moderated } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  moderateOpening: {
    tag: "Administration",
    summary: "Block or unblock an opening",
    description:
      "A blocked opening is listed only for its depositors (`depositor` of `GET /openings`), and its texts, its website and " +
      "its picture are not shown. Its page and its transactions stay available, so that depositors can deposit, claim and " +
      "get refunds. The token that it launches needs its own block. Each change is stored in an audit log with its reason.",
    params: z.object({
      id: moderatedIds.opening.describe(
        "The id of the listing, the address of the token or the opening, or the SHA-256 of the image.",
      ),
    }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change as stored in the audit log", schema: moderated } },
    errors: ["invalid_request", "opening_not_indexed", "storage_unavailable"],
  },

  createReport: {
    tag: "Businesses",
    summary: "Report a listing, a token, an image or an opening",
    description:
      "Sends a report to the operator. It counts against the `write` rate limit of the network address; an address " +
      "can report each item once.",
    body: report,
    answers: { 202: { description: "The report was received", schema: receivedReport } },
    errors: ["listing_not_found", "token_not_indexed", "opening_not_indexed", "not_found", "storage_unavailable"],
  },

  listDeniedImages: {
    tag: "Administration",
    summary: "List the deny list of images, newest first",
    description: "Pass `next_before` as `before` to get the next page; it is null on the last page.",
    query: deniedImagesQuery,
    scope: "admin",
    answers: { 200: { description: "The entries", schema: deniedImages } },
    errors: ["storage_unavailable"],
  },

  denyImages: {
    tag: "Administration",
    summary: "Block images by similarity",
    description:
      "Blocks every image whose 64-bit dHash differs by at most `within` bits: stored images now, and images that " +
      "are uploaded or used by a launch later. The launch itself is not blocked. The entry and its blocks are " +
      "stored in an audit log.",
    body: imageDenial,
    scope: "admin",
    answers: {
      200: { description: "The entry, and the number of stored images that it blocked", schema: addedDenial },
    },
    errors: ["not_found", "storage_unavailable"],
  },

  removeDenial: {
    tag: "Administration",
    summary: "Remove an entry of the deny list of images",
    description: "Images that the entry has blocked stay blocked until an administrator unblocks them.",
    params: z.object({ id: z.uuid().describe("The id of the entry.") }),
    scope: "admin",
    answers: { 200: { description: "Removed", schema: removed } },
    errors: ["not_found", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
