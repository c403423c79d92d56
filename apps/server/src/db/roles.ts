import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { lockUntilCommit } from "./advisoryLocks.ts";

type RoleSetting = { role: string; grants: string[]; url: string | undefined };

/** Returns the privileges of each role. Only the indexer writes `chain.*`; all other code writes `app.*`. */
function getRoleSettings(config: Config): RoleSetting[] {
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
 * Creates the two roles with their privileges; idempotent. Logins and passwords come from the URLs that name the roles.
 * If the operator's role may not create roles, logs the required SQL once and continues with the existing privileges.
 *
 * @returns Whether both roles exist.
 */
export async function grantRoles(pool: pg.Pool, config: Config, log: Logger): Promise<boolean> {
  const client = await pool.connect();
  client.on("error", () => undefined);
  const statements = getRoleSettings(config).flatMap((setting) => createStatements(setting));
  try {
    await runInTransaction(client, statements);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
    log.warn({ sql: statements.map(redactPassword) }, "database roles not created: run the SQL as an administrator");
    return false;
  } finally {
    client.release();
  }
}

const insufficientPrivilege = "42501";
const maxAttempts = 10;

/** Runs all statements in one transaction. */
async function runInTransaction(client: pg.PoolClient, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin");
      // Prevents "tuple concurrently updated" between processes that start at the same time.
      await lockUntilCommit(client, "roles");
      for (const statement of statements) await client.query(statement);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      // A concurrent vacuum or analyze can still update the same catalog rows.
      if (attempt === maxAttempts || !/tuple concurrently updated/.test((error as Error).message)) throw error;
    }
  }
}

function createStatements({ role, grants, url }: RoleSetting): string[] {
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
