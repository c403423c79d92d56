import { z } from "zod";
import { asOf } from "./asOf.ts";
import { integerQuery } from "./integerQuery.ts";
import { representation } from "./representation.ts";

const metric = z.number().nullable();

/** Sums of each day over all tokens. */
export const dailyAnalytics = z
  .object({
    items: z.array(
      z.object({
        date: z.iso.date().describe("The day, in UTC."),
        launches: z.int(),
        trades: z.int(),
        traders: z.int().describe("Different accounts that traded on the day."),
        volume_eth: z.number().describe("In native."),
        volume_usd: metric,
        fees_usd: metric.describe("Fees that the locked positions earned, in USD."),
        fees_collaborators_usd: metric,
        fees_protocol_usd: metric,
        complete: z.boolean().describe("False for the day of the last indexed block."),
      }),
    ),
    next_before: z.iso.date().nullable().describe("Pass it as `before` to get the days before; null at the first day."),
    as_of: asOf,
  })
  .meta({
    id: "DailyAnalytics",
    description: "Sums of each day (UTC) over all tokens, oldest first, from the day of the first launch on.",
  });
export type DailyAnalytics = z.infer<typeof dailyAnalytics>;

export const dailyAnalyticsQuery = z.object({
  limit: integerQuery(1, 1000, 365).describe("The maximum number of days."),
  before: z.iso
    .date("must be a date such as 2026-01-31")
    .optional()
    .describe("Only days before this one, such as `2026-01-31`."),
  format: representation,
});
