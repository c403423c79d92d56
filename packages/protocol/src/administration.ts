import { z } from "zod";
import { integerQuery } from "./integerQuery.ts";
import { dateTime } from "./primitives.ts";
import { text } from "./text.ts";

/** The plans that routes can require. */
export const planName = z.enum(["subscriber"]);
export type PlanName = z.infer<typeof planName>;

export const accountsQuery = z.object({
  limit: integerQuery(1, 100, 50).describe("The maximum number of accounts."),
  before: z.uuid("must be next_before of a page").optional().describe("`next_before` of the previous page."),
});

/** Accounts, newest first. `next_before` requests the next page; null at the end. */
export const administeredAccounts = z
  .object({
    items: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        created_at: dateTime,
        plan: z.string().nullable(),
        credits: z.int(),
        keys: z.int(),
      }),
    ),
    next_before: z.uuid().nullable(),
  })
  .meta({
    id: "AdministeredAccounts",
    description:
      "Accounts, newest first. Pass `next_before` as `before` to get the next page; it is null on the last " + "page.",
  });

/** Starts a plan now; without `days` it has no end. */
export const planGrant = z
  .strictObject({ account_id: z.uuid(), plan: planName, days: z.int().min(1).max(36_500).optional() })
  .meta({ id: "PlanGrant", description: "Starts a plan now; without `days` it never expires." });

export const startedPlan = z
  .object({ account_id: z.uuid(), plan: planName, active_until: dateTime.nullable() })
  .meta({ id: "StartedPlan", description: "The started plan; `active_until` is null if it never expires." });

/** The reason for a credit transaction, shown to the owner of the account. */
export const creditReason = text().min(1).max(200);

/** Adds credits; a negative amount removes them. */
export const creditGrant = z
  .strictObject({
    account_id: z.uuid(),
    amount: z
      .int()
      .min(-1_000_000_000)
      .max(1_000_000_000)
      .refine((value) => value !== 0, "must not be 0"),
    reason: creditReason.optional(),
  })
  .meta({ id: "CreditGrant", description: "Adds credits; a negative amount removes them." });

export const bookedCredits = z
  .object({ account_id: z.uuid(), amount: z.int(), balance: z.int() })
  .meta({ id: "BookedCredits", description: "A credit transaction and the balance after it." });
