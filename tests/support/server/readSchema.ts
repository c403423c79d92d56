import type { Queryable } from "@slipway/server/db/database";

/** A part of a schema that statements depend on, by name; `says` is the definition that must stay. */
export type SchemaPart = {
  kind: "relation" | "column" | "constraint" | "unique index" | "trigger" | "function";
  name: string;
  /** The relation of the part; the own name for relations and functions. */
  of: string;
  says: string;
  /** For a column: whether it rejects null, and whether a row that omits the column gets a value. */
  required: boolean;
  filled: boolean;
};

/** The parts by kind and name. */
export type Schema = ReadonlyMap<string, SchemaPart>;

/**
 * Reads everything in `chain` and `app` that a statement of some version can depend on, from PostgreSQL's catalogue.
 */
export async function readSchema(db: Queryable): Promise<Schema> {
  const { rows } = await db.query<SchemaPart>(
    `with relations as (
       select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relkind from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('chain', 'app') and c.relkind in ('r', 'p', 'v', 'm', 'S'))
     select 'relation' as kind, name, name as of, false as required, false as filled,
       case relkind when 'v' then 'view ' || pg_get_viewdef(oid) when 'S' then 'sequence' else 'table' end as says
     from relations
     union all
     select 'column', r.name || '.' || a.attname, r.name, a.attnotnull,
       a.atthasdef or a.attidentity <> '', format_type(a.atttypid, a.atttypmod)
     from relations r join pg_attribute a on a.attrelid = r.oid
     where r.relkind <> 'S' and a.attnum > 0 and not a.attisdropped
     union all
     -- Not null belongs to its column.
     select 'constraint', r.name || ' ' || c.conname, r.name, false, false, pg_get_constraintdef(c.oid)
     from relations r join pg_constraint c on c.conrelid = r.oid where c.contype <> 'n'
     union all
     -- What refuses to let rows of another relation go.
     select 'constraint', f.name || ' kept for ' || r.name || ' ' || c.conname, f.name, false, false,
       pg_get_constraintdef(c.oid)
     from relations r join pg_constraint c on c.conrelid = r.oid join relations f on f.oid = c.confrelid
     where c.confdeltype in ('a', 'r') and f.oid <> r.oid
     union all
     select 'unique index', r.name || ' ' || x.relname, r.name, false, false, pg_get_indexdef(i.indexrelid)
     from relations r join pg_index i on i.indrelid = r.oid join pg_class x on x.oid = i.indexrelid
     where i.indisunique and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     union all
     select 'trigger', r.name || ' ' || t.tgname, r.name, false, false, pg_get_triggerdef(t.oid)
     from relations r join pg_trigger t on t.tgrelid = r.oid where not t.tgisinternal
     union all
     select 'function', p.oid::regprocedure::text, p.oid::regprocedure::text, false, false, pg_get_functiondef(p.oid)
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('chain', 'app') and p.prokind in ('f', 'p')`,
  );
  return new Map(rows.map((part) => [`${part.kind} ${part.name}`, part]));
}

/**
 * Describes where `after` offers less to statements written for `before`, or requires more of them. Empty: all earlier
 * parts exist with the same meaning, and new parts do not affect statements that do not name them.
 *
 * @param restored - Relations whose rows are restored from images of earlier versions, which do not contain new
 *   columns: a new column that rejects null is an error there even if it has a default.
 */
export function narrowings(before: Schema, after: Schema, restored: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (const [key, was] of before) {
    const is = after.get(key);
    if (is === undefined) {
      // All parts of the relation are removed with it, so report the relation only.
      if (was.kind === "relation" || !isWithout(after, was.of)) found.push(`${key} is gone`);
      continue;
    }
    if (is.says !== was.says) found.push(`${key} is another one`);
    if (is.required && !was.required) found.push(`${key} refuses null now`);
    if (was.required && !is.required) found.push(`${key} may be null now`);
    if (was.filled && !is.filled) found.push(`${key} has lost its default`);
  }
  for (const [key, is] of after) {
    if (before.has(key) || !before.has(`relation ${is.of}`)) continue;
    if (is.kind !== "column") found.push(`${key} is new`);
    else if (is.required && !is.filled) found.push(`${key} is new and must be named`);
    else if (is.required && restored.has(is.of)) found.push(`${key} is new and missing in images`);
  }
  return found.sort();
}

const isWithout = (schema: Schema, relation: string) =>
  !schema.has(`relation ${relation}`) && !schema.has(`function ${relation}`);
