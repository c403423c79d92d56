import type { Client, Queryable } from "../../db/database.ts";

/** The channel that API processes LISTEN on; its payload is the newest outbox id. */
export const outboxChannel = "slipway_outbox";

/** Wakes the listeners when the transaction commits. */
export async function notifyOutbox(client: Client): Promise<void> {
  await client.query(`select pg_notify('${outboxChannel}', coalesce(max(id), 0)::text) from chain.outbox`);
}

/** Drops what is older than a day: whoever comes back with an older cursor starts from a snapshot. */
export async function pruneOutbox(db: Queryable): Promise<void> {
  await db.query("delete from chain.outbox where created_at < now() - interval '24 hours'");
}
