import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";

const page = readFileSync(new URL("../../../../docs/database.md", import.meta.url), "utf8");

/** Reads the names in the first columns of a section's tables, one text per row. */
function readRows(section: string, columns = 1): string[] {
  const body = page.split(`\n## ${section}\n`)[1]!.split("\n## ")[0]!;
  const rows = body.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) =>
    [...row.matchAll(/`([^`]+)`/g)]
      .slice(0, columns)
      .map((match) => match[1])
      .join(" "),
  );
}

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

async function list(sql: string): Promise<string[]> {
  const { rows } = await database.db.read.query<{ name: string }>(sql);
  return rows.map(({ name }) => name).sort();
}

const listRelations = (schema: string, kinds: string) =>
  list(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname ~ '${schema}' and c.relkind::text ~ '${kinds}' and not c.relispartition`,
  );

test.each(["chain", "app"])("docs/database.md lists exactly the tables of %s", async (schema) => {
  expect(readRows(`Tables of \`${schema}\``)).toEqual(await listRelations(`^${schema}$`, "[rp]"));
});

test("docs/database.md lists exactly the views", async () => {
  expect(readRows("Views")).toEqual(await listRelations("^(app|chain)$", "[vm]"));
});

test("docs/database.md lists exactly the functions, and marks the functions that run as their owner", async () => {
  expect(readRows("Functions")).toEqual(
    await list(
      `select distinct n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('app', 'chain')`,
    ),
  );
  const asOwner = page.match(/^\| `[\w.]+` \|.*\(\*owner\*\) \|$/gm)!.map((row) => row.split("`")[1]);
  expect(asOwner).toEqual(
    await list(
      `select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('app', 'chain') and p.prosecdef`,
    ),
  );
});

test("docs/database.md lists exactly the triggers with their tables", async () => {
  const names = await list(
    `select n.nspname || '.' || c.relname || ' ' || t.tgname as name from pg_trigger t
     join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('app', 'chain') and not t.tgisinternal`,
  );
  expect(readRows("Triggers", 2)).toEqual(names);
});
