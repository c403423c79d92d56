import { z } from "zod";
import { chainIds } from "./chains.ts";
import { SlipwayError } from "./errors.ts";
import { protocolFeeBps } from "./feeTiers.ts";
import { prepareOnChainText } from "./onChainText.ts";
import { addressOut, checksummed, dateTime, evmAddress } from "./primitives.ts";
import type { Allocation } from "./splitter.ts";
import { isStorableText, text } from "./text.ts";
import { warning } from "./transaction.ts";

/** The provider of a recipient's handle; `wallet` has none. */
export const recipientProvider = z.enum(["wallet", "code_host", "social"]);

/** Text with a length in Unicode code points, as JSON Schema counts it. */
const withLength = (schema: z.ZodString, minimum: number, maximum: number) =>
  schema
    .refine((value) => {
      const length = [...value].length;
      return length >= minimum && length <= maximum;
    }, `must have ${minimum} to ${maximum} characters`)
    .meta({ minLength: minimum, maxLength: maximum });

/** Text without control characters. */
const codePoints = (minimum: number, maximum: number) =>
  withLength(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
    text().regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, "must not contain control characters"),
    minimum,
    maximum,
  );

/** A name that can be stored; the error names the rejected code point. */
const storableName = z.string().superRefine((value, context) => {
  if (isStorableText(value)) return;
  const prepared = prepareOnChainText(value);
  if (!prepared.ok) context.addIssue({ code: "custom", message: prepared.refusal.message });
});

/** A payee of the collaborators' share. Its handle is an unverified label and never authorizes a payout. */
export const recipient = z
  .strictObject({
    provider: recipientProvider,
    handle: codePoints(0, 39).optional(),
    wallet: evmAddress,
    share_bps: z.int().min(1).max(10_000),
  })
  .refine((value) => value.provider === "wallet" || Boolean(value.handle), {
    path: ["handle"],
    message: "is required for provider code_host and social",
  })
  .meta({
    id: "Recipient",
    description:
      "A payee of the collaborators' share. Its handle is an unverified label and never authorizes a payout.",
  });

export type Recipient = z.infer<typeof recipient>;

const isUrlWithHost = (value: string) => {
  try {
    const url = new URL(value);
    return url.hostname !== "" && url.username === "" && url.password === "";
  } catch {
    return false;
  }
};

/** The draft of a launch. */
export const intent = z
  .strictObject({
    /** `prepareOnChainText` checks the other code points when the draft is stored. */
    name: withLength(storableName, 1, 64),
    symbol: z.string().regex(/^[a-zA-Z0-9]{1,12}$/, "must be 1 to 12 letters or digits"),
    description: codePoints(0, 1000).optional(),
    image_uri: codePoints(1, 256)
      .regex(/^(ipfs|https):\/\//, "must start with ipfs:// or https://")
      .refine(isUrlWithHost, "must be a complete URI without credentials"),
    website: codePoints(1, 256)
      .regex(/^https:\/\//, "must start with https://")
      .refine(isUrlWithHost, "must be a complete HTTPS URL without credentials")
      .optional(),
    chain_id: z.literal(chainIds),
    recipients: z.array(recipient).max(20).optional(),
    fee_bps: z.literal([100, 50, 30, 10]).optional(),
  })
  .meta({ id: "Intent", description: "The description of a launch." });

export type Intent = z.infer<typeof intent>;

/** A stored intent. */
export const draft = z
  .object({
    id: z.uuid(),
    status: z.literal("draft"),
    intent,
    created_at: dateTime,
    transaction: z.null(),
    launched_token: addressOut.nullable().describe("The token of the draft's newest indexed launch; null without one."),
    warnings: z.array(warning).describe("An accepted value that is likely a mistake."),
  })
  .meta({ id: "Draft", description: "A stored draft with its current warnings." });

export type Draft = z.infer<typeof draft>;

/** The maximum number of drafts of an account. */
export const maxDrafts = 1_000;

/**
 * The maximum number of launches of different addresses that an account can prepare from a draft. Preparing a launch
 * again is always allowed.
 */
export const maxPreparedLaunches = 100;

/** The number of drafts on a page. */
export const draftPageSize = 50;

/** `before`: `next_before` of the previous page. It stays valid when the drafts of that page are deleted. */
export const draftsQuery = z.object({
  before: z
    .string()
    .regex(/^\d{1,17}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "must be next_before of a page")
    .optional()
    .describe("`next_before` of the previous page. It stays valid if the drafts of that page are deleted."),
});

/** Drafts, newest first. `next_before` requests the next page; null at the end. */
export const draftList = z
  .object({ items: z.array(draft).max(draftPageSize), next_before: z.string().nullable() })
  .meta({
    id: "Drafts",
    description:
      "Drafts, newest first. Pass `next_before` as `before` to get the next page; it is null on the last " + "page.",
  });

/** The Idempotency-Key header. */
export const idempotencyKey = text()
  .min(8)
  .max(128)
  .describe("Identifies the request: a retry with the same key and the same body has no further effect.");

/**
 * Checks that shares sum to 10000 and that each wallet occurs once. A draft without recipients is valid at every tier.
 *
 * @throws SlipwayError `duplicate_recipient`, `shares_not_10000`.
 */
export function checkAllocations(recipients: readonly { wallet: string; share_bps: number }[]): void {
  if (recipients.length === 0) return;
  const seen = new Set<string>();
  for (const [index, { wallet }] of recipients.entries()) {
    const key = wallet.toLowerCase();
    if (seen.has(key)) {
      throw new SlipwayError("duplicate_recipient", `The wallet ${wallet} is listed twice.`, {
        field: `recipients[${index}].wallet`,
      });
    }
    seen.add(key);
  }
  const sum = recipients.reduce((total, { share_bps }) => total + share_bps, 0);
  if (sum !== 10_000) {
    throw new SlipwayError("shares_not_10000", `The shares sum to ${sum}, not to 10000.`, {
      field: "recipients",
      details: { sum },
    });
  }
}

/**
 * Returns the recipients of a draft's launch. A draft whose tier leaves nothing to recipients needs none: its splitter,
 * which every launch has, then has the creator as its only payee.
 */
export function getRecipients(
  { recipients = [], fee_bps }: Pick<Intent, "recipients" | "fee_bps">,
  creator: string,
): Recipient[] {
  if (recipients.length > 0 || fee_bps !== protocolFeeBps) return recipients;
  return [{ provider: "wallet", wallet: creator, share_bps: 10_000 }];
}

/** Converts the recipients of a draft's launch to the splitter's arguments, in the draft's order, without handles. */
export function toAllocations(intent: Pick<Intent, "recipients" | "fee_bps">, creator: string): Allocation[] {
  return getRecipients(intent, creator).map(({ wallet, share_bps }) => ({
    payee: checksummed(wallet),
    shareBps: share_bps,
  }));
}
