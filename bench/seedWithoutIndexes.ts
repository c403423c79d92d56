import type pg from "pg";

type Definition = { name: string; definition: string; isConstraint: boolean };

/**
 * Drops the indexes and unique constraints of tables before they are filled: building them afterwards from all rows
 * takes a fraction of the time. No other constraint may refer to them.
 *
 * @returns a function that creates them again.
 */
export async function dropIndexes(pool: pg.Pool, tables: readonly string[]): Promise<() => Promise<void>> {
  const dropped: (Definition & { table: string })[] = [];
  for (const table of tables) {
    const { rows } = await pool.query<Definition>(
      `select coalesce(c.conname, i.indexrelid::regclass::text) as name, c.conname is not null as "isConstraint",
         coalesce(pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as definition
       from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid
       where i.indrelid = $1::regclass order by 2 desc, 1`,
      [table],
    );
    for (const row of rows) {
      dropped.push({ ...row, table });
      await pool.query(
        row.isConstraint ? `alter table ${table} drop constraint ${row.name}` : `drop index ${row.name}`,
      );
    }
  }
  return async () => {
    const client = await pool.connect();
    try {
      await client.query("set maintenance_work_mem = '512MB'");
      for (const { table, name, definition, isConstraint } of dropped) {
        await client.query(isConstraint ? `alter table ${table} add constraint ${name} ${definition}` : definition);
      }
    } finally {
      client.release(true);
    }
  };
}
