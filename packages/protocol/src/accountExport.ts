import { z } from "zod";
import { accountEvents, apiKey, connections, creditLedger, sessionList } from "./accounts.ts";
import { alert } from "./alerts.ts";
import { addressOut, amountOut, bytes32, dateTime } from "./primitives.ts";
import { webhook, webhookDelivery } from "./webhooks.ts";

/** The maximum number of entries of a list in an export; longer lists have their own paginated endpoints. */
export const maxExportedEntries = 10_000;

/**
 * All data that the service stores of an account, without the API keys, which are stored only as hashes. `next_before`
 * continues the list in `/api/account/credits` and `/api/account/events`; null when the list is complete.
 */
export const accountExport = z
  .object({
    exported_at: dateTime,
    account: z.object({ id: z.uuid(), name: z.string(), created_at: dateTime }),
    wallets: z.array(z.object({ address: addressOut, chain_id: z.int(), is_payout: z.boolean(), linked_at: dateTime })),
    connections: connections.shape.items,
    sessions: z.array(sessionList.shape.items.element.omit({ current: true })),
    keys: z.array(apiKey.extend({ revoked_at: dateTime.nullable() })),
    plans: z.array(z.object({ plan: z.string(), active_from: dateTime, active_until: dateTime.nullable() })),
    credits: creditLedger,
    forecasts: z.array(
      z.object({
        request_id: z.string(),
        state: z.enum(["running", "done", "failed"]),
        answer: z.record(z.string(), z.unknown()).nullable(),
        created_at: dateTime,
      }),
    ),
    drafts: z.array(
      z.object({
        id: z.uuid(),
        idempotency_key: z.string(),
        intent: z.record(z.string(), z.unknown()),
        options: z.record(z.string(), z.unknown()).nullable(),
        created_at: dateTime,
      }),
    ),
    businesses: z.array(
      z.object({
        id: z.string(),
        idempotency_key: z.string(),
        listing: z.record(z.string(), z.unknown()),
        blocked_at: dateTime.nullable(),
        created_at: dateTime,
        updated_at: dateTime,
      }),
    ),
    prepared_launches: z.array(
      z.object({
        token: z.string(),
        draft_id: z.uuid(),
        wallet: z.string(),
        splitter: z.string(),
        created_at: dateTime,
      }),
    ),
    prepared_splitters: z.array(
      z.object({
        draft_id: z.uuid(),
        wallet: z.string(),
        method: z.enum(["creation", "factory"]),
        account_nonce: z.int(),
        created_at: dateTime,
      }),
    ),
    images: z.array(
      z.object({
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        bytes: z
          .int()
          .positive()
          .describe("The bytes of the image and its smaller versions that count against the quota."),
        created_at: dateTime,
      }),
    ),
    gas_quotes: z.array(
      z.object({
        id: bytes32,
        chain_id: z.int(),
        wallet: z.string(),
        token: z.string(),
        token_amount: amountOut,
        native_amount: amountOut,
        created_at: dateTime,
        consumed_at: dateTime.nullable(),
      }),
    ),
    top_ups: z.array(
      z.object({
        id: z.uuid(),
        quote_id: bytes32,
        chain_id: z.int(),
        wallet: z.string(),
        client_address: z.string().nullable(),
        native_amount: amountOut,
        state: z.enum(["sent", "confirmed", "failed"]),
        hash: z.string().nullable(),
        created_at: dateTime,
        finished_at: dateTime.nullable(),
      }),
    ),
    payments: z
      .array(
        z.object({
          id: z.uuid().describe("The id of the payment."),
          chain_id: z.int(),
          asset: z.string().describe("The token of the payment."),
          payer: z.string().describe("The wallet that pays."),
          payee: z.string().describe("The operator's receiving address."),
          amount: amountOut.describe("The amount in base units of the asset."),
          nonce: bytes32.describe("The nonce of the authorization."),
          credits: z.int().nullable().describe("The bought credits; null for a plan."),
          plan: z.string().nullable().describe("The bought plan; null for credits."),
          plan_days: z.int().nullable().describe("The bought days of the plan; null for credits."),
          state: z.string().describe("The status of the payment."),
          reason: z.string().nullable().describe("Why the payment failed or is held; otherwise null."),
          hash: z.string().nullable().describe("The transaction of a payment that ended; null without one."),
          client_address: z.string().nullable().describe("The network address of the request, for a day; then null."),
          created_at: dateTime,
          finished_at: dateTime
            .nullable()
            .describe("The time in UTC when the payment ended; null while it is pending."),
        }),
      )
      .describe("The payments by x402."),
    alerts: z.array(
      alert.omit({ status: true }).extend({
        idempotency_key: z.string(),
        state: z.enum(["new", "armed", "fired"]),
        confirmed_at: dateTime.nullable(),
      }),
    ),
    webhooks: z.array(webhook.extend({ idempotency_key: z.string() })),
    webhook_deliveries: z.array(webhookDelivery.extend({ webhook_id: z.uuid() })),
    mail_addresses: z.array(z.object({ provider: z.string(), address: z.string(), seen_at: dateTime })),
    mails: z.array(
      z.object({
        id: z.uuid(),
        kind: z.enum(["confirm", "alert", "security"]),
        address: z.string().nullable(),
        state: z.enum(["queued", "sent", "failed", "cancelled"]),
        created_at: dateTime,
      }),
    ),
    events: accountEvents,
  })
  .meta({ id: "AccountExport", description: "Everything that the service stores of an account." });
export type AccountExport = z.infer<typeof accountExport>;
