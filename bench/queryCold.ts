import { execFile } from "node:child_process";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";

/**
 * Empties PostgreSQL's buffers and removes the pages of the client's database from the system's cache, so that reads go
 * to the disk. For a server on this machine, as its superuser; needs GNU dd (Linux), and no other privileges.
 */
export async function forgetPages(client: Pick<pg.ClientBase, "query">): Promise<void> {
  await client.query("create extension if not exists pg_buffercache");
  await client.query("checkpoint");
  await client.query("select pg_buffercache_evict_all()");
  const { rows } = await client.query<{ folder: string }>(
    `select current_setting('data_directory') || '/base/' || oid as folder
     from pg_database where datname = current_database()`,
  );
  const { folder } = rows[0]!;
  // Files of tables and indexes have numeric names; other files may be rewritten meanwhile.
  const names = (await readdir(folder)).filter((name) => /^\d/.test(name));
  for (const name of names) await forgetFile(join(folder, name));
}

async function forgetFile(path: string): Promise<void> {
  // Pages that are not yet on disk stay in memory despite the advice.
  const file = await open(path, "r+");
  await file.sync();
  await file.close();
  // `count=0` with `nocache`: gives the advice for the whole file (coreutils manual, dd).
  await promisify(execFile)("dd", [`if=${path}`, "iflag=nocache", "count=0", "status=none"]);
}
