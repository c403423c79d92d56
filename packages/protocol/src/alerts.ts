import { z } from "zod";
import { marketPair } from "./markets.ts";
import { dateTime } from "./primitives.ts";
import { text } from "./text.ts";
import { alertSubject } from "./webhooks.ts";

/**
 * An e-mail address that fits into an SMTP envelope and a header unchanged: a dot-atom and a domain name (RFC 5321, 4.1.2),
 * in ASCII, without quotes, comments or address literals.
 */
export const emailAddress = z
  .string()
  .max(254)
  .regex(
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$/,
    "must be an e-mail address such as name@example.com",
  )
  .refine((address) => address.lastIndexOf("@") <= 64, "must have at most 64 characters before the @")
  .describe("The e-mail address of the alert. Its owner must confirm it first.");

/** The allowed values of a metric: a range of numbers, or a set of names. */
export const alertMetrics = {
  var_95: { min: 0, max: 1 },
  var_99: { min: 0, max: 1 },
  volatility_percentile: { min: 0, max: 1 },
  risk_score: { min: 0, max: 100 },
  drawdown: { min: -1, max: 0 },
  regime: { names: ["calm", "normal", "elevated", "stress"] },
  signal: { names: ["long", "short", "flat"] },
} as const satisfies Record<string, { min: number; max: number } | { names: readonly string[] }>;

export type AlertMetric = keyof typeof alertMetrics;

const metricNames = Object.keys(alertMetrics) as [AlertMetric, ...AlertMetric[]];

/** The condition that sends an alert: a metric crosses a number, or changes to a name. */
export const alertRule = z
  .strictObject({
    metric: z
      .enum(metricNames)
      .describe("`var_95` and `var_99` are positive fractions, `drawdown` is a fraction of at most 0."),
    op: z.enum(["above", "below", "is"]).describe("`above` and `below` for numbers, `is` for `regime` and `signal`."),
    value: z
      .union([z.number(), text().max(16)], {
        error: ({ input }) => (input === undefined ? "is required" : "must be a number or a name"),
      })
      .describe("The threshold, within the range of the metric; or the name of a regime or of a signal's direction."),
  })
  .superRefine(({ metric, op, value }, context) => {
    const values: { min: number; max: number } | { names: readonly string[] } = alertMetrics[metric];
    const refuse = (field: "op" | "value", message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if ("names" in values) {
      if (op !== "is") refuse("op", `must be is for ${metric}`);
      else if (typeof value !== "string" || !values.names.includes(value)) {
        refuse("value", `must be one of ${values.names.join(", ")} for ${metric}`);
      }
    } else if (op === "is") refuse("op", `must be above or below for ${metric}`);
    else if (typeof value !== "number" || value < values.min || value > values.max) {
      refuse("value", `must be a number from ${values.min} to ${values.max} for ${metric}`);
    }
  })
  .meta({
    id: "AlertRule",
    description: "The condition of the alert: a metric crosses a number, or changes to a name.",
  });
export type AlertRule = z.output<typeof alertRule>;

/** The maximum number of alerts of an account. */
export const maxAlerts = 20;

export const newAlert = z
  .strictObject({
    email: emailAddress,
    pair: marketPair.optional().describe("The pair of a market, such as BTC_USDT; with `rule`."),
    rule: alertRule.optional().describe("The condition of the alert; with `pair`."),
    subject: alertSubject.optional().describe("The events of the alert, instead of `pair` and `rule`."),
  })
  .superRefine(({ pair, rule, subject }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    for (const [name, value] of Object.entries({ pair, rule })) {
      if (subject === undefined && value === undefined) refuse(name, "is required");
      if (subject !== undefined && value !== undefined) refuse(name, "cannot be sent with subject");
    }
  })
  .meta({ id: "NewAlert", description: "An alert by e-mail: of the metric of a market, or of events." });
export type NewAlert = z.output<typeof newAlert>;

export const createdAlert = z.object({ id: z.uuid(), status: z.literal("pending") }).meta({
  id: "CreatedAlert",
  description: "A new alert. It is pending until its address is confirmed and its metric has a value.",
});

export const alert = z
  .object({
    id: z.uuid(),
    email: z.string(),
    pair: z.string().nullable().describe("The pair of the market, such as `BTC_USDT`; null for an alert of events."),
    rule: z
      .object({
        metric: z.enum(metricNames),
        op: z.enum(["above", "below", "is"]),
        value: z.union([z.number(), z.string()]),
      })
      .nullable()
      .describe("The condition of the alert; null for an alert of events."),
    status: z
      .enum(["pending", "armed", "fired", "suspended"])
      .describe(
        "`pending`: the address is not confirmed, or the metric has no value yet; `armed`: crossing the " +
          "threshold sends an e-mail; `fired`: the value must move back over the threshold first; `suspended`: " +
          "the mail server of the address refuses e-mails.",
      ),
    last_fired_at: dateTime.nullable().describe("The time of its last e-mail; null if there was none."),
    created_at: dateTime,
    subject: alertSubject.nullable().describe("The events of the alert; null for the metric of a market."),
  })
  .meta({ id: "Alert", description: "An alert by e-mail and its status." });

export const alertList = z
  .object({ items: z.array(alert), max: z.int().describe("The maximum number of alerts of an account.") })
  .meta({ id: "Alerts", description: "The alerts of the account, newest first." });

/** The ticket of a mail: 54 bytes in base64url. */
const ticket = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, "must be the ticket of a mail");

export const alertTicket = z
  .strictObject({ ticket: ticket.describe("The text after # in the link of the e-mail.") })
  .meta({ id: "AlertTicket", description: "The ticket in the link of an e-mail." });

export const confirmedAddress = z
  .object({ confirmed: z.literal(true) })
  .meta({ id: "ConfirmedAddress", description: "The address is confirmed." });

export const unsubscribed = z
  .object({ unsubscribed: z.literal(true) })
  .meta({ id: "Unsubscribed", description: "The address gets no more alerts from this account." });
