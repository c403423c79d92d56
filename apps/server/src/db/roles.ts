import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";

type RoleSetting = { role: string; grants: string[]; url: string | undefined };

/** What each role may do. `chain.*` is written by the indexer alone, `app.*` by everything else. */
function roleSettings(config: Config): RoleSetting[] {
  return [
    {
      role: "slipway_api",
      url: config.DATABASE_API_URL,
      grants: [
        "grant usage on schema app, chain to slipway_api",
        "grant create on schema app to slipway_api",
        "grant select, insert, update, delete on all tables in schema app to slipway_api",
        "grant usage, select on all sequences in schema app to slipway_api",
        "grant select on all tables in schema chain to slipway_api",
        "grant select on public.slipway_migrations to slipway_api",
      ],
    },
    {
      role: "slipway_indexer",
      url: config.DATABASE_INDEXER_URL,
      grants: [
        "grant usage on schema chain to slipway_indexer",
        "grant select, insert, update, delete, truncate on all tables in schema chain to slipway_indexer",
        "grant usage, select, update on all sequences in schema chain to slipway_indexer",
        "grant select on public.slipway_migrations to slipway_indexer",
      ],
    },
  ];
}

/**
 * Creates the two roles and their rights, as often as it is called. A login and password come from the URLs that name
 * the roles. Where the operator's role may not do this, the SQL that is needed is logged once and the program goes on
 * with the rights it has.
 *
 * @returns True when both roles stand.
 */
export async function grantRoles(pool: pg.Pool, config: Config, log: Logger): Promise<boolean> {
  const client = await pool.connect();
  client.on("error", () => undefined);
  const statements = roleSettings(config).flatMap((setting) => statementsFor(setting));
  try {
    await runInTransaction(client, statements);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
    log.warn(
      { sql: statements.map(redactPassword) },
      "the database role may not create roles: run the SQL as an administrator; until then one role does everything",
    );
    return false;
  } finally {
    client.release();
  }
}

const insufficientPrivilege = "42501";
const maxAttempts = 10;

/** All statements in one transaction. */
async function runInTransaction(client: pg.PoolClient, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin");
      // Two processes that start together would otherwise meet in "tuple concurrently updated".
      await client.query("select pg_advisory_xact_lock(7416033552)");
      for (const statement of statements) await client.query(statement);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      // A vacuum or an analysis beside it can still touch the same rows of the catalogue.
      if (attempt === maxAttempts || !/tuple concurrently updated/.test((error as Error).message)) throw error;
    }
  }
}

function statementsFor({ role, grants, url }: RoleSetting): string[] {
  const user = url === undefined ? null : new URL(url);
  const name = user ? decodeURIComponent(user.username) : "";
  const statements = [
    `do $$ begin if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; ` +
      "end if; end $$",
    ...grants,
  ];
  if (name === role && user?.password) {
    const password = pg.escapeLiteral(decodeURIComponent(user.password));
    statements.push(`alter role ${role} login password ${password}`);
  } else if (name !== "" && name !== role) {
    statements.push(
      `do $$ begin if exists (select from pg_roles where rolname = ${pg.escapeLiteral(name)} and not rolsuper) then ` +
        `grant ${role} to ${pg.escapeIdentifier(name)}; end if; end $$`,
    );
  }
  return statements;
}

function redactPassword(statement: string): string {
  return statement.replace(/ password .*/s, " password '...'");
}
