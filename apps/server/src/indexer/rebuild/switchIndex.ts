import type pg from "pg";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import { copySchema, oldSchema } from "../../db/copySchema.ts";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { type Checkpoint, lockCheckpoint } from "../store/checkpoint.ts";
import { missingLogs } from "../store/openIndex.ts";
import { writeBatchEvent } from "../store/writeOutbox.ts";
import { getCopyIdentity, isIndexRelation, readCopyIdentity } from "./createCopy.ts";

/** The copy has other tables than schema `chain`: a migration ran meanwhile, or another process dropped it. */
export class CopyOutdatedError extends Error {
  override name = "CopyOutdatedError";
}

/** SQLSTATE of a lock that was not available within `lock_timeout`. */
export const lockNotAvailable = "55P03";

/** Waits this long for a vacuum, which PostgreSQL ends after a second, and for the worker that orders trades. */
const prepareTimeout = "2s";
/**
 * Waits this long for the tables. All reads of the index wait behind it, and it ends before PostgreSQL looks for a
 * deadlock with a reader of several tables (1 s).
 */
const lockTimeout = "200ms";

export type SwitchOptions = {
  fingerprint: string;
  fromBlock: number;
  /** Fencing token and checkpoint of the index that is read; the copy has the same block. */
  current: { fencingToken: number; checkpoint: Checkpoint };
  /** Fencing token of the copy. */
  copyFencingToken: number;
};

/**
 * Replaces the tables of schema `chain` by those of the copy, in one transaction. Types, functions, the outbox and the
 * status of the index stay, and so do the definitions of triggers and views. The outbox reports that all data may have
 * changed. The replaced tables are in schema `chain_old` afterwards.
 *
 * @param owner - A connection of the owner of schema `chain`.
 * @throws CopyOutdatedError, LeadershipLostError; an error with the code `lockNotAvailable` while tables are in use.
 */
export async function switchIndex(owner: pg.Pool, options: SwitchOptions): Promise<void> {
  await withTransaction(owner, async (client) => {
    await client.query("set local search_path = pg_catalog, pg_temp");
    await client.query(`set local lock_timeout = '${prepareTimeout}'`);
    await lockUntilCommit(client, "migrations");
    if ((await readCopyIdentity(client)) !== (await getCopyIdentity(client, options.fingerprint))) {
      throw new CopyOutdatedError("the tables of the next index are for other sources or migrations");
    }
    // The same order as in openIndex.
    await lockUntilCommit(client, "gallery");
    await lockUntilCommit(client, "history");
    const names = await listTables(client, "chain");
    const copied = await listTables(client, copySchema);
    const all = [...names.map((name) => `chain.${name}`), ...copied.map((name) => `${copySchema}.${name}`)].join(", ");
    // Ends a vacuum of these tables and keeps others away, before readers have to wait.
    await client.query(`lock table ${all} in share update exclusive mode`);
    // As app.publish_signal, which reads the checkpoint while it holds this lock.
    await client.query("lock table chain.outbox in row exclusive mode");
    await client.query(`set local lock_timeout = '${lockTimeout}'`);
    await client.query(`lock table ${all} in access exclusive mode`);
    await client.query("set local lock_timeout = 0");
    await lockCheckpoint(client, options.current.fencingToken);
    const definitions = await readDefinitions(client);

    await client.query(`create schema ${oldSchema}`);
    for (const name of names) await client.query(`alter table chain.${name} set schema ${oldSchema}`);
    for (const name of copied) await client.query(`alter table ${copySchema}.${name} set schema chain`);
    // Also drops the triggers that call functions of the copy.
    await client.query(`drop schema ${copySchema} cascade`);
    for (const definition of definitions) await client.query(definition);
    await moveState(client, options);
    await updateGallery(client);
    const to = options.current.checkpoint.blockNumber;
    await writeBatchEvent(client, { from: options.fromBlock, to });
  });
}

/** Lists the tables of a schema that belong to an index, with partitions, as SQL identifiers. */
async function listTables(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I', c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') and ${isIndexRelation} order by c.relname`,
    [schema],
  );
  return rows.map((row) => row.name);
}

/** Returns the statements that define the triggers of the index's tables, and every view that reads one of them. */
async function readDefinitions(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ sql: string }>(
    `with moved as (
       select c.oid from pg_class c
       where c.relnamespace = 'chain'::regnamespace and c.relkind in ('r', 'p') and ${isIndexRelation}
     ),
     view as (
       select distinct r.ev_class as oid from pg_depend d join pg_rewrite r on r.oid = d.objid join moved m on m.oid = d.refobjid
       where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
     )
     select sql from (
       select t.oid, pg_get_triggerdef(t.oid) as sql from pg_trigger t join moved m on m.oid = t.tgrelid
       where not t.tgisinternal
       union all
       select c.oid, format('create or replace view %I.%I%s as %s', n.nspname, c.relname,
         ' with (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid))
       from view v join pg_class c on c.oid = v.oid join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'v' and n.nspname <> $1
     ) definitions order by oid`,
    [copySchema],
  );
  return rows.map((row) => row.sql);
}

/** Gives the new checkpoint a fencing token that no earlier leader has, and the time of the last rebuild. */
async function moveState(client: Client, { current, copyFencingToken }: SwitchOptions): Promise<void> {
  const { checkpoint } = current;
  const { rowCount } = await client.query(
    `update chain.checkpoint n set fence = greatest(n.fence, o.fence) + 1,
       rebuilt_at = case when o.sources = $1 then now() else o.rebuilt_at end
     from ${oldSchema}.checkpoint o
     where n.fence = $2 and n.block_hash = o.block_hash and o.block_hash = $3`,
    [missingLogs, copyFencingToken, checkpoint.blockHash],
  );
  if (rowCount !== 1) throw new CopyOutdatedError("the next index is not at the block of the current index");
}

/** Updates the pictures of tokens whose id or texts differ between the two indexes; usually none. */
async function updateGallery(client: Client): Promise<void> {
  await client.query(
    `delete from app.gallery_items i where exists (
       select from ${oldSchema}.tokens o left join chain.tokens n on n.id = o.id
       where o.id = i.token_id and n.address is distinct from o.address
     )`,
  );
  await client.query(
    `select app.write_gallery_items(array(
       select n.address from chain.tokens n left join ${oldSchema}.tokens o on o.id = n.id
       where (n.address, n.name, n.symbol, n.block_number, n.block_time, n.log_index, n.search_text) is distinct from
         (o.address, o.name, o.symbol, o.block_number, o.block_time, o.log_index, o.search_text)
     ))`,
  );
}
