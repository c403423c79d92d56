import { z } from "zod";
import { accountEvents, apiKey, connections, creditLedger, sessionList } from "./accounts.ts";
import { addressOut, amountOut, bytes32, dateTime } from "./primitives.ts";

/** The most entries of a list in an export; the longer lists have pages of their own. */
export const maxExportedEntries = 10_000;

/**
 * Everything that the service stores of an account. Keys are stored as hashes only, which are left out. `next_before` is
 * where the pages of `/api/account/credits` and `/api/account/events` continue; null when the list is complete.
 */
export const accountExport = z
  .object({
    exported_at: dateTime,
    account: z.object({ id: z.uuid(), name: z.string(), created_at: dateTime }),
    wallets: z.array(z.object({ address: addressOut, chain_id: z.int(), linked_at: dateTime })),
    connections: connections.shape.items,
    sessions: z.array(sessionList.shape.items.element.omit({ current: true })),
    keys: z.array(apiKey.extend({ revoked_at: dateTime.nullable() })),
    plans: z.array(z.object({ plan: z.string(), active_from: dateTime, active_until: dateTime.nullable() })),
    credits: creditLedger,
    drafts: z.array(
      z.object({
        id: z.uuid(),
        idempotency_key: z.string(),
        intent: z.record(z.string(), z.unknown()),
        created_at: dateTime,
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
    events: accountEvents,
  })
  .meta({ id: "AccountExport" });
export type AccountExport = z.infer<typeof accountExport>;
