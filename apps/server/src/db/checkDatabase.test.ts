import { readFileSync } from "node:fs";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestFolder } from "../../../../tests/support/createTestFolder.ts";
import { ConfigError, parseConfig } from "../config.ts";
import { prepareDatabase } from "./migrate.ts";

const folder = temporaryFolder();
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres({ dir: folder.path, durable: false });
});
afterAll(async () => {
  await postgres?.stop();
  folder.remove();
});

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Creates a database and its owner, a role with the same name. @returns The name, and the URLs of owner and admin. */
async function createDatabase(): Promise<{ name: string; owner: string; admin: string }> {
  const name = `checked_${++databases}`;
  await query(postgres.url, `create role ${name} login password 'secret'`);
  await query(postgres.url, `create database ${name} owner ${name}`);
  const admin = postgres.urlFor({ database: name });
  return { name, admin, owner: postgres.urlFor({ user: name, password: "secret", database: name }) };
}

/** Prepares the database as at a start. @returns The log events of level warn or above, and the error. */
async function prepare(DATABASE_URL: string, more: Record<string, string> = {}) {
  const lines: { msg: string; migrations?: string[]; sql?: string[] }[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = parseConfig({ DATABASE_URL, RPC_URL: "http://none", ...more });
  const error = await prepareDatabase(config, log).then(
    () => null,
    (failure: Error) => failure,
  );
  expect(error?.message ?? "").not.toContain("secret");
  const problem = error instanceof ConfigError ? error.problems[0] : null;
  return { lines, error, problem };
}

describe("a start with a database that cannot be reached", () => {
  it.each(["127.0.0.1", "localhost"])("reports that %s does not answer, which a retry can fix", async (host) => {
    const { error } = await prepare(`postgres://someone:secret@${host}:1/x`);
    expect(error).not.toBeInstanceOf(ConfigError);
    expect(error?.message).toMatch(`DATABASE_URL: the database at ${host}:1 does not answer (`);
    expect(error?.message).toContain("ECONNREFUSED");
  });

  it("reports a wrong password, a missing role and a missing database, which no retry fixes", async () => {
    const { name, owner } = await createDatabase();
    const at = `DATABASE_URL: the database at 127.0.0.1:${postgres.port}`;
    const password = await prepare(owner.replace("secret", "wrong-secret"));
    expect(password.problem).toBe(`${at} refuses the password of the role "${name}"; correct it in the URL`);
    const none = await prepare(owner.replace(":secret", ""));
    expect(none.problem).toBe(`${at} requires a password of the role "${name}"; add it`);
    const database = await prepare(owner.replace(/\w+$/, "nowhere"));
    expect(database.problem).toBe(`${at} has no database "nowhere"; create it, or correct the URL`);
    await query(postgres.url, `alter role ${name} nologin`);
    expect((await prepare(owner)).problem).toMatch(
      `${at} refuses the connection: role "${name}" is not permitted to log in; correct role`,
    );
  });

  it("reports failed TLS requirements, and a missing file of the URL", async () => {
    const { owner } = await createDatabase();
    expect((await prepare(`${owner}?sslmode=verify-full`)).problem).toContain("does not support SSL connections");
    expect((await prepare(`${owner}?sslmode=verify-full&sslrootcert=/nowhere.pem`)).problem).toMatch(
      "DATABASE_URL: the file /nowhere.pem of the URL cannot be read (ENOENT)",
    );
  });
});

describe("a start with a database that contains foreign tables", () => {
  it("creates no tables without DATABASE_SHARED, and names some of the foreign tables", async () => {
    const { name, owner } = await createDatabase();
    await query(owner, "create schema shop; create table shop.orders (id int); create view shown as select 1 as x");
    const { problem } = await prepare(owner);
    expect(problem).toBe(
      `DATABASE_URL: the database "${name}" contains only foreign tables (public.shown, shop.orders); ` +
        "name an empty database, or set DATABASE_SHARED=true to create the schemas app and chain in this database",
    );
    await expect(query(owner, "select * from public.slipway_migrations")).rejects.toThrow(/does not exist/);

    expect((await prepare(owner, { DATABASE_SHARED: "true" })).error).toBeNull();
    // The setting is not needed after the schemas exist.
    expect((await prepare(owner)).error).toBeNull();
  });

  it("does not count tables of extensions", async () => {
    const { owner, admin } = await createDatabase();
    await query(admin, "create extension pg_trgm; create table public.of_extension (x int)");
    await query(admin, "alter extension pg_trgm add table public.of_extension");
    expect((await prepare(owner)).error).toBeNull();
  });
});

describe("a start with a server that is not usable", () => {
  it("reports a PostgreSQL version that is too old", async () => {
    const { name, owner } = await createDatabase();
    await query(owner, "create schema fake");
    // Makes the server report another version.
    await query(
      owner,
      "create function fake.current_setting(text) returns text language sql as $$ select case $1 " +
        "when 'server_version_num' then '140011' else pg_catalog.current_setting($1) end $$",
    );
    await query(owner, `alter role ${name} set search_path = fake, pg_catalog, public`);
    const { problem } = await prepare(owner);
    expect(problem).toBe("DATABASE_URL: the server is PostgreSQL 14; use PostgreSQL 15 or newer");
  });

  it("reports a read-only server, which a retry can fix", async () => {
    const { name, owner } = await createDatabase();
    await query(owner, `alter database ${name} set default_transaction_read_only = on`);
    const { error } = await prepare(owner);
    expect(error).not.toBeInstanceOf(ConfigError);
    expect(error?.message).toMatch(/^DATABASE_URL: the server is read-only; name the primary/);
  });
});

describe("a start with a role that lacks privileges", () => {
  it("reports sufficient SQL for an administrator", async () => {
    const { name, owner, admin } = await createDatabase();
    await query(admin, `alter database ${name} owner to slipway; revoke all on schema public from public`);
    const { problem } = await prepare(owner);
    const sql = `grant create on database ${name} to ${name}; grant usage, create on schema public to ${name}`;
    expect(problem).toBe(
      `DATABASE_URL: the role "${name}" may not create our tables; as an administrator, run: ${sql}`,
    );
    await query(admin, sql);
    expect((await prepare(owner)).error).toBeNull();
  });

  it("reports that another role owns the tables", async () => {
    const { owner, name } = await createDatabase();
    const other = await createDatabase();
    expect((await prepare(owner)).error).toBeNull();
    const { problem } = await prepare(postgres.urlFor({ user: other.name, password: "secret", database: name }));
    expect(problem).toMatch(
      /^DATABASE_URL: its role lacks a privilege \(permission denied for .*\); name the role that/,
    );
  });

  it("reports each lesser role of this process that may not connect or lacks privileges", async () => {
    const { owner, name } = await createDatabase();
    const lesser = await createDatabase();
    const urls = {
      DATABASE_API_URL: postgres.urlFor({ user: lesser.name, password: "secret", database: name }),
      DATABASE_INDEXER_URL: postgres.urlFor({ user: lesser.name, password: "wrong-secret", database: name }),
    };
    const { lines, error } = await prepare(owner, urls);
    expect(lines.map(({ msg }) => msg)).toEqual(["database roles not created: run the SQL as an administrator"]);
    expect((error as ConfigError).problems).toEqual([
      expect.stringMatching(
        new RegExp(`^DATABASE_API_URL: the role "${lesser.name}" lacks select, insert, update, delete on \\d+ tables`),
      ),
      expect.stringMatching(/^DATABASE_INDEXER_URL: the database at .* refuses the password of the role/),
    ]);
    const apiOnly = await prepare(owner, { ...urls, ROLES: "api" });
    expect((apiOnly.error as ConfigError).problems).toHaveLength(1);
  });

  it("C3-74 an upgrade without CREATEROLE grants new tables to the roles of an administrator, and warns once before", async () => {
    const { owner, name, admin } = await createDatabase();
    const urlOf = (user: string) => postgres.urlFor({ user, password: `of-${user}`, database: name });
    const urls = { DATABASE_API_URL: urlOf("slipway_api"), DATABASE_INDEXER_URL: urlOf("slipway_indexer") };
    for (const role of ["slipway_api", "slipway_indexer"]) {
      await query(admin, `create role ${role} nologin`).catch(() => undefined);
      await query(admin, `alter role ${role} nologin`);
    }
    const { lines } = await prepare(owner, urls);
    expect(lines.map(({ sql }) => sql)).toEqual([
      ["alter role slipway_api login password '...'", "alter role slipway_indexer login password '...'"],
    ]);
    for (const role of ["slipway_api", "slipway_indexer"]) {
      await query(admin, `alter role ${role} login password 'of-${role}'`);
    }
    expect(await prepare(owner, urls)).toMatchObject({ lines: [], error: null });

    // The next version adds a table.
    await query(owner, "create table app.added (id int); create table chain.added (id int)");
    expect(await prepare(owner, urls)).toMatchObject({ lines: [], error: null });
    await query(urls.DATABASE_API_URL, "insert into app.added values (1)");
    await query(urls.DATABASE_INDEXER_URL, "insert into chain.added values (1)");

    const wrong = await prepare(owner, { ...urls, DATABASE_API_URL: urlOf("slipway_api").replace(":of-", ":no-") });
    expect((wrong.error as ConfigError).problems).toEqual([
      expect.stringContaining("refuses the password of the role"),
    ]);
  });

  it("starts without a warning with the roles of docs/scaling.md, whose owner may not create roles", async () => {
    const document = readFileSync(new URL("../../../../docs/scaling.md", import.meta.url), "utf8");
    const [, sql] = /```sql\n(create role[^`]+)```/.exec(document)!;
    const own = await startPostgres({ dir: createTestFolder(), durable: false });
    onTestFinished(own.stop);
    await query(own.urlFor({ database: "postgres" }), "drop database slipway");
    for (const statement of sql!.trim().split("\n")) await query(own.urlFor({ database: "postgres" }), statement);
    const urlOf = (user: string) => own.urlFor({ user: `slipway_${user}`, password: `${user}-password` });
    const urls = {
      DATABASE_API_URL: urlOf("api"),
      DATABASE_INDEXER_URL: urlOf("indexer"),
      DATABASE_READ_URL: urlOf("api"),
    };
    for (let start = 0; start < 2; start++)
      expect(await prepare(urlOf("owner"), urls)).toMatchObject({ lines: [], error: null });
  });

  it("starts while a lesser role's server is down", async () => {
    const { owner } = await createDatabase();
    const DATABASE_READ_URL = "postgres://someone:secret@127.0.0.1:1/x";
    expect((await prepare(owner, { DATABASE_READ_URL })).error).toBeNull();
  });
});

describe("a start with a newer schema", () => {
  it("C3-04 continues, and logs the unknown migrations in one line", async () => {
    const { owner } = await createDatabase();
    expect((await prepare(owner)).error).toBeNull();
    await query(
      owner,
      "insert into public.slipway_migrations (name, checksum) values ('9998_a.sql', 'x'), ('9999_b.sql', 'x')",
    );
    const { lines, error } = await prepare(owner);
    expect(error).toBeNull();
    expect(lines.filter(({ migrations }) => migrations !== undefined)).toEqual([
      expect.objectContaining({
        msg: "database migrated by a newer version",
        migrations: ["9998_a.sql", "9999_b.sql"],
      }),
    ]);
  });
});
