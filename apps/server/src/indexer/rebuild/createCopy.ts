import type pg from "pg";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import { copySchema, oldSchema, toCopySchema } from "../../db/copySchema.ts";
import type { Client, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

/**
 * SQL condition: the relation `c` belongs to an index. There is one outbox and one status, whichever index is read, and
 * trades that were detached (`npm run history -- detach`) belong to no index.
 */
export const isIndexRelation = "c.relname not in ('outbox', 'status') and c.relname !~ '^detached_trades_'";

/**
 * Prepares schema `chain_next`: empty tables like those of schema `chain`, with equal names of indexes and constraints,
 * and with equal privileges. Keeps the schema of an earlier start if it is for the same identity.
 *
 * @param owner - A connection of the owner of schema `chain`.
 * @param fingerprint - Identifies the sources and rules of the next index.
 * @returns Whether the schema is new.
 */
export async function prepareCopy(owner: pg.Pool, fingerprint: string): Promise<boolean> {
  await dropOldIndex(owner);
  return await withTransaction(owner, async (client) => {
    await lockUntilCommit(client, "migrations");
    const identity = await getCopyIdentity(client, fingerprint);
    if ((await readCopyIdentity(client)) === identity) return false;
    await client.query(`drop schema if exists ${copySchema} cascade`);
    await createSchema(client, identity);
    return true;
  });
}

/** Drops the tables of the next index and of a replaced index. */
export async function dropCopy(owner: pg.Pool): Promise<void> {
  await owner.query(`drop schema if exists ${copySchema} cascade`);
  await dropOldIndex(owner);
}

/** Whether a schema of an earlier rebuild exists. */
export async function hasCopy(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean }>(
    "select exists (select from pg_namespace where nspname = any($1::text[])) as exists",
    [[copySchema, oldSchema]],
  );
  return rows[0]!.exists;
}

/**
 * Drops the tables of the replaced index. Fails if another program's object depends on one of them.
 */
export async function dropOldIndex(owner: pg.Pool): Promise<void> {
  const { rows } = await owner.query<{ tables: string | null }>(
    `select string_agg(format('${oldSchema}.%I', c.relname), ', ') as tables from pg_class c
     join pg_namespace n on n.oid = c.relnamespace where n.nspname = '${oldSchema}' and c.relkind in ('r', 'p')`,
  );
  if (rows[0]!.tables !== null) await owner.query(`drop table ${rows[0]!.tables}`);
  await owner.query(`drop schema if exists ${oldSchema}`);
}

/** Identifies what a copy is for: sources and rules, and the migrations that its tables have. */
export async function getCopyIdentity(client: Client, fingerprint: string): Promise<string> {
  const { rows } = await client.query<{ migrations: string }>(
    "select md5(string_agg(name, ' ' order by name)) as migrations from public.slipway_migrations",
  );
  return `${fingerprint} ${rows[0]!.migrations}`;
}

/** Reads the identity of the existing copy; null without one. */
export async function readCopyIdentity(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ identity: string | null }>(
    "select obj_description(to_regnamespace($1), 'pg_namespace') as identity",
    [copySchema],
  );
  return rows[0]!.identity;
}

async function createSchema(client: Client, identity: string): Promise<void> {
  // Definitions that PostgreSQL prints then have the schema of every name. A function can name tables of later lines.
  await client.query("set local search_path = pg_catalog, pg_temp");
  await client.query("set local check_function_bodies = off");
  await client.query(`create schema ${copySchema}`);
  const { rows } = await client.query<{ literal: string }>("select quote_literal($1::text) as literal", [identity]);
  await client.query(`comment on schema ${copySchema} is ${rows[0]!.literal}`);
  for (const definitions of [tables, functions, views, constraints, indexes, triggers, privileges]) {
    const { rows: statements } = await client.query<{ sql: string }>(definitions);
    for (const { sql } of statements) await client.query(toCopySchema(sql));
  }
}

/*
 * Each query returns statements that define objects of schema `chain`; `toCopySchema` makes them define the copy. The
 * quotes of "chain" keep a name as it is.
 */

const isCopied = `c.relnamespace = 'chain'::regnamespace and not c.relispartition and ${isIndexRelation}`;

const tables = `
  select format('create %stable chain.%I (like "chain".%I including all excluding indexes excluding constraints)%s%s',
    case c.relpersistence when 'u' then 'unlogged ' else '' end, c.relname, c.relname,
    ' partition by ' || pg_get_partkeydef(c.oid), ' with (' || array_to_string(c.reloptions, ', ') || ')') as sql
  from pg_class c where ${isCopied} and c.relkind in ('r', 'p') order by c.oid`;

const functions = `
  select pg_get_functiondef(p.oid) as sql from pg_proc p where p.pronamespace = 'chain'::regnamespace order by p.oid`;

const views = `
  select format('create view chain.%I as %s', c.relname, pg_get_viewdef(c.oid)) as sql
  from pg_class c where ${isCopied} and c.relkind = 'v' order by c.oid`;

/** Foreign keys after the keys that they refer to. */
const constraints = `
  select format('alter table chain.%I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as sql
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where ${isCopied} and k.contype in ('p', 'u', 'x', 'c', 'f') order by k.contype = 'f', k.oid`;

/** Without ONLY: with it, the index of a new partitioned table, which has no partition yet, would stay invalid. */
const indexes = `
  select replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as sql
  from pg_index i join pg_class c on c.oid = i.indrelid
  where ${isCopied} and c.relkind in ('r', 'p') and not exists (
    select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
  )
  order by i.indexrelid`;

/** Triggers that keep sums. Those that change schema `app` are created when the copy is switched to. */
const triggers = `
  select pg_get_triggerdef(t.oid) as sql
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
  where ${isCopied} and not t.tgisinternal and p.pronamespace = 'chain'::regnamespace order by t.oid`;

const privileges = `
  with granted as (
    select 0 as step, 'schema ${copySchema}' as object, a.* from pg_namespace n cross join lateral aclexplode(n.nspacl) a
    where n.nspname = 'chain' and a.grantee <> n.nspowner
    union all
    select 1, format('%s chain.%I', case c.relkind when 'S' then 'sequence' else 'table' end, c.relname), a.*
    from pg_class c cross join lateral aclexplode(c.relacl) a
    where ${isCopied} and c.relkind in ('r', 'p', 'v', 'S') and a.grantee <> c.relowner
      and to_regclass(format('${copySchema}.%I', c.relname)) is not null
    union all
    select 2, format('function chain.%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), a.*
    from pg_proc p cross join lateral aclexplode(p.proacl) a
    where p.pronamespace = 'chain'::regnamespace and a.grantee <> p.proowner
  )
  select format('revoke all on function chain.%I(%s) from public', p.proname,
    pg_get_function_identity_arguments(p.oid)) as sql
  from pg_proc p where p.pronamespace = 'chain'::regnamespace and p.proacl is not null
  union all
  (select format('grant %s on %s to %s%s', privilege_type, object,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
    case when is_grantable then ' with grant option' else '' end)
  from granted order by step)`;
