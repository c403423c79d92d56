import type { Queryable } from "../db/database.ts";

/** The newest outbox id and the newest change of `app.token_manifests`; 0 while there is none. */
export async function getNewestChanges(db: Queryable): Promise<{ outbox: number; manifests: number }> {
  const { rows } = await db.query<{ outbox: number; manifests: number }>({
    name: "newest-changes",
    text: `select coalesce((select max(id) from chain.outbox), 0) as outbox,
      coalesce((select max(change) from app.token_manifests), 0) as manifests`,
  });
  return rows[0]!;
}

/** The tokens whose document outside the chain changed after a change of `app.token_manifests`; lower-case addresses. */
export async function listChangedManifests(db: Queryable, after: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ token: string }>(
    "select token from app.token_manifests where change > $1 order by change limit $2",
    [after, limit],
  );
  return rows.map((row) => row.token);
}
