import { execFile } from "node:child_process";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";

/**
 * Empties PostgreSQL's buffers and has the system forget the pages of the client's database, so that reads go to the
 * disk. For a server on this machine, as its superuser; needs GNU dd (Linux), and no other rights.
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
  // Tables and indexes are numbers; what else lies there may be written anew meanwhile.
  const names = (await readdir(folder)).filter((name) => /^\d/.test(name));
  for (const name of names) await forgetFile(join(folder, name));
}

async function forgetFile(path: string): Promise<void> {
  // What is not yet on disk stays in memory whatever is advised.
  const file = await open(path, "r+");
  await file.sync();
  await file.close();
  // `count=0` with `nocache`: advise on the whole file (coreutils manual, dd).
  await promisify(execFile)("dd", [`if=${path}`, "iflag=nocache", "count=0", "status=none"]);
}
