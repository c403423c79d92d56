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

/** Operations of the operator, and reports that the operator receives. */
export const administrationOperations = {
  listAccounts: {
    tag: "Administration",
    summary: "List all accounts with plan, credits and keys, newest first",
    description: "`keys` counts those that may be used. `next_before` requests the next page; null at the end.",
    query: accountsQuery,
    scope: "admin",
    answers: { 200: { description: "The accounts", schema: administeredAccounts } },
    errors: ["storage_unavailable"],
  },

  startPlan: {
    tag: "Administration",
    summary: "Start a plan for an account",
    description: "It starts now. Without `days` it has no end.",
    body: planGrant,
    scope: "admin",
    answers: { 200: { description: "It runs from now on", schema: startedPlan } },
    errors: ["storage_unavailable"],
  },

  grantCredits: {
    tag: "Administration",
    summary: "Add credits to an account, or take them",
    description:
      "Booked once for each Idempotency-Key and account: the same again answers with the same booking, another amount " +
      "or reason 409. The balance never falls below zero.",
    headers: idempotencyHeaders,
    body: creditGrant,
    scope: "admin",
    answers: { 200: { description: "The booking", schema: bookedCredits } },
    errors: ["insufficient_credits", "idempotency_key_reused", "storage_unavailable"],
  },

  moderateListing: {
    tag: "Administration",
    summary: "Block a listing, or end its block",
    description: "A blocked listing is 404 and in no list. Each change is kept in an audit log with its reason.",
    params: z.object({ id: moderatedIds.listing.describe("Of the listing, the token or the picture.") }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change, as it is in the audit log", schema: moderated } },
    errors: ["invalid_request", "listing_not_found", "storage_unavailable"],
  },

  moderateToken: {
    tag: "Administration",
    summary: "Block a token, or end its block",
    description:
      "A blocked token is in no list and has no image. Its page, trades, candles and transactions stay, with the " +
      "warning `blocked`: holders must be able to sell and claim. Each change is kept in an audit log with its reason.",
    params: z.object({ id: moderatedIds.token.describe("Of the listing, the token or the picture.") }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change, as it is in the audit log", schema: moderated } },
    errors: ["invalid_request", "token_not_indexed", "storage_unavailable"],
  },

  moderateImage: {
    tag: "Administration",
    summary: "Block a picture, or end its block",
    description: "A blocked picture is 404 and shown nowhere. Each change is kept in an audit log with its reason.",
    params: z.object({ id: moderatedIds.image.describe("Of the listing, the token or the picture.") }),
    body: moderation,
    scope: "admin",
    answers: { 200: { description: "The change, as it is in the audit log", schema: moderated } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  createReport: {
    tag: "Businesses",
    summary: "Report a listing, a token or a picture",
    description:
      "For the operator. Counts against the policy `write` of the network address; one address reports each thing once.",
    body: report,
    answers: { 202: { description: "The report was received", schema: receivedReport } },
    errors: ["listing_not_found", "token_not_indexed", "not_found", "storage_unavailable"],
  },

  listDeniedImages: {
    tag: "Administration",
    summary: "List the deny list of pictures, newest first",
    description: "`next_before` requests the next page; null at the end.",
    query: deniedImagesQuery,
    scope: "admin",
    answers: { 200: { description: "The entries", schema: deniedImages } },
    errors: ["storage_unavailable"],
  },

  denyImages: {
    tag: "Administration",
    summary: "Block pictures by what they look like",
    description:
      "A picture whose 64-bit dHash differs in at most `within` bits is blocked: those that are stored now, and those that " +
      "accounts upload or launches name later. A launch itself is not blocked. Entry and blocks are in the audit log.",
    body: imageDenial,
    scope: "admin",
    answers: { 200: { description: "The entry, and how many stored pictures it blocked", schema: addedDenial } },
    errors: ["not_found", "storage_unavailable"],
  },

  removeDenial: {
    tag: "Administration",
    summary: "Remove an entry of the deny list of pictures",
    description: "What it blocked stays blocked until an administrator ends that block.",
    params: z.object({ id: z.uuid().describe("The id of the entry.") }),
    scope: "admin",
    answers: { 200: { description: "Removed", schema: removed } },
    errors: ["not_found", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
