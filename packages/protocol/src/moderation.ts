import { z } from "zod";
import { businessId } from "./businesses.ts";
import { dateTime, evmAddress } from "./primitives.ts";
import { preparePublishedText } from "./publishedText.ts";
import { text } from "./text.ts";

/** The kinds of items that can be reported and blocked. */
export const moderatedKinds = ["listing", "token", "image", "opening"] as const;
export type ModeratedKind = (typeof moderatedKinds)[number];

/** The SHA-256 of a stored picture. */
export const imageId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be 64 hex digits in lower case")
  .describe("The `sha256` of a stored image.");

/** The identifier of each kind. */
export const moderatedIds: Record<ModeratedKind, z.ZodType<string>> = {
  listing: businessId,
  token: evmAddress,
  image: imageId,
  opening: evmAddress,
};

const reportReasons = ["spam", "scam", "impersonation", "illegal", "copyright", "offensive", "other"] as const;

const explanation = (maxLength: number) =>
  text().superRefine((value, context) => {
    const prepared = preparePublishedText(value, { maxLength, lines: true });
    if (prepared.ok) return;
    const { reason, message } = prepared.refusal;
    context.addIssue({ code: "custom", message, params: { reason } });
  });

/** A report of a public item, for the operator. */
export const report = z
  .strictObject({
    kind: z.enum(moderatedKinds),
    id: text()
      .min(1)
      .max(200)
      .describe("The id of a listing, the address of a token or an opening, or the `sha256` of an image."),
    reason: z.enum(reportReasons),
    text: explanation(1_000).meta({ minLength: 1, maxLength: 1_000 }).optional(),
  })
  .superRefine(({ kind, id }, context) => {
    const parsed = moderatedIds[kind].safeParse(id);
    if (!parsed.success) context.addIssue({ code: "custom", path: ["id"], message: parsed.error.issues[0]!.message });
  })
  .meta({ id: "Report", description: "A report of a listing, a token, an image or an opening." });

export type Report = z.infer<typeof report>;

export const receivedReport = z
  .object({ received: z.literal(true) })
  .meta({ id: "ReceivedReport", description: "The report is stored, now or by an earlier request." });

/** The reason why an item was blocked or unblocked; for the audit log. */
export const moderationReason = explanation(500).meta({ minLength: 1, maxLength: 500 });

export const moderation = z
  .strictObject({ blocked: z.boolean(), reason: moderationReason })
  .meta({ id: "Moderation", description: "Blocks or unblocks an item." });

export const moderated = z
  .object({
    kind: z.enum(moderatedKinds),
    id: z.string(),
    blocked: z.boolean(),
    reason: z.string(),
    created_at: dateTime,
  })
  .meta({ id: "Moderated", description: "An entry of the audit log." });
