import type { ModeratedKind } from "@slipway/protocol/moderation";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Client, Database, Queryable } from "../../db/database.ts";
import { readSecret } from "../../db/signedCursors.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { outboxChannel } from "../../live/listenToOutbox.ts";

/** Maximum number of stored reports per target; later ones are not stored. */
const maxReports = 1_000;

/** Returns an id as the database stores it. */
export const toTarget = (kind: ModeratedKind, id: string): string =>
  kind === "token" || kind === "opening" ? id.toLowerCase() : id;

/** Whether a target exists and can be reported; a blocked listing or picture cannot. */
export async function isPublic(db: Queryable, kind: ModeratedKind, id: string): Promise<boolean> {
  const sql = {
    listing: "select from app.listings where id = $1 and blocked_at is null",
    token: "select from chain.tokens where address = $1",
    image: "select from app.images where sha256 = decode($1, 'hex') and blocked_at is null",
    opening: "select from chain.openings where address = $1",
  }[kind];
  return (await db.query(sql, [id])).rowCount === 1;
}

type NewReport = {
  id: string;
  kind: ModeratedKind;
  target: string;
  reason: string;
  text: string | null;
  clientAddress: string;
};

/**
 * Stores a report: at most one per client address and target, and at most `maxReports` per target.
 *
 * @param fresh - Random bytes that become the key of the stored address hashes if no key exists yet.
 */
export async function storeReport(db: Queryable, report: NewReport, fresh: Uint8Array): Promise<void> {
  const secret = await readSecret(db, fresh);
  await db.query(
    `insert into app.reports (id, kind, target, reason, text, reporter)
     select $1, $2, $3, $4, $5, sha256($6::bytea || convert_to($7::text || $2::text || $3::text, 'UTF8'))
     where (select count(*) from (select from app.reports where kind = $2 and target = $3 limit ${maxReports}) r)
       < ${maxReports}
     on conflict (reporter) do nothing`,
    [report.id, report.kind, report.target, report.reason, report.text, secret, `${report.clientAddress} `],
  );
}

export type ModerationEvent = {
  kind: ModeratedKind;
  target: string;
  blocked: boolean;
  reason: string;
  created_at: Date;
};

/**
 * Blocks a listing, a token, a picture or an opening, or ends its block, and records the event.
 *
 * @param event.target - From `toTarget`: a listing's id, the address of a token or an opening, a picture's SHA-256.
 * @param event.administrator - The account of the administrator; null for the operator's command.
 * @returns Null when the target does not exist.
 */
export async function moderate(
  pool: Database["api"],
  event: Omit<ModerationEvent, "created_at"> & { administrator: string | null },
): Promise<ModerationEvent | null> {
  const { kind, target, blocked, reason, administrator } = event;
  return await withTransaction(pool, async (client) => {
    if (!(await setBlocked[kind](client, target, blocked))) return null;
    const { rows } = await client.query<ModerationEvent>(
      `insert into app.moderation_events (kind, target, blocked, reason, administrator) values ($1, $2, $3, $4, $5)
       returning kind, target, blocked, reason, created_at`,
      [kind, target, blocked, reason, administrator],
    );
    return rows[0]!;
  });
}

type SetBlocked = (client: Client, target: string, blocked: boolean) => Promise<boolean>;

const blockedAt = "case when $2 then coalesce(blocked_at, now()) end";

const setBlocked: Record<ModeratedKind, SetBlocked> = {
  listing: async (client, target, blocked) => {
    const sql = `update app.listings set blocked_at = ${blockedAt} where id = $1`;
    return (await client.query(sql, [target, blocked])).rowCount === 1;
  },
  image: async (client, target, blocked) => {
    const sql = `update app.images set blocked_at = ${blockedAt} where sha256 = decode($1, 'hex')`;
    return (await client.query(sql, [target, blocked])).rowCount === 1;
  },
  token: async (client, target, blocked) => {
    const isFound = await setAddressBlocked(client, "token", target, blocked);
    // External listings of the token are blocked too.
    await client.query(
      `update app.listings l set blocked_at = ${blockedAt}
       where l.merge_key = (select 'token:' || chain_id || ':' || $1::text from chain.checkpoint)`,
      [target, blocked],
    );
    return isFound;
  },
  opening: async (client, target, blocked) => await setAddressBlocked(client, "opening", target, blocked),
};

/** Blocks a contract of the index. Its row stays when the block ends, because `change` only grows. */
async function setAddressBlocked(
  client: Client,
  kind: "token" | "opening",
  target: string,
  blocked: boolean,
): Promise<boolean> {
  await lockUntilCommit(client, kind === "token" ? "blockedTokenChanges" : "blockedOpeningChanges");
  const { rowCount } = await client.query(
    `insert into app.blocked_${kind}s as b (${kind}, blocked_at)
     select address, case when $2 then now() end from chain.${kind}s where address = $1
     on conflict (${kind}) do update set blocked_at = case when $2 then coalesce(b.blocked_at, now()) end,
       change = nextval('app.blocked_${kind}_changes')`,
    [target, blocked],
  );
  await wakeReadModels(client);
  return rowCount === 1;
}

/** Wakes the read models of all processes at the commit. */
async function wakeReadModels(client: Client): Promise<void> {
  await client.query("select pg_notify($1, '')", [outboxChannel]);
}

export type ReportRow = {
  id: string;
  kind: ModeratedKind;
  target: string;
  reason: string;
  text: string | null;
  created_at: Date;
  /** Number of reports about the same target, including this one. */
  reports: number;
};

/** Lists reports, newest first. @param before - The id of the last report of the previous page. */
export async function listReports(
  db: Queryable,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<ReportRow[]> {
  const { rows } = await db.query<ReportRow>(
    `select r.id, r.kind, r.target, r.reason, r.text, r.created_at,
       (select count(*) from app.reports o where o.kind = r.kind and o.target = r.target)::int as reports
     from app.reports r
     where $2::uuid is null
       or (r.created_at, r.id) < (select b.created_at, b.id from app.reports b where b.id = $2::uuid)
     order by r.created_at desc, r.id desc limit $1`,
    [limit, before ?? null],
  );
  return rows;
}
