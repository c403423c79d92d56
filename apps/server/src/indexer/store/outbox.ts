import type { Client, Queryable } from "../../db/database.ts";
import { outboxChannel } from "../../db/outboxChannel.ts";
import { runPrepared } from "../../db/runPrepared.ts";

/** Wakes the listeners when the transaction commits. */
export async function notifyOutbox(client: Client): Promise<void> {
  await runPrepared(client, `select pg_notify('${outboxChannel}', coalesce(max(id), 0)::text) from chain.outbox`);
}

/** Drops what is older than a day: whoever comes back with an older cursor starts from a snapshot. */
export async function pruneOutbox(db: Queryable): Promise<void> {
  await db.query("delete from chain.outbox where created_at < now() - interval '24 hours'");
}
