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
        "grant execute on function chain.order_trades(bigint, bigint, bigint), chain.reset_trades() to slipway_indexer",
        "grant select on public.slipway_migrations to slipway_indexer",
      ],
    },
  ];
}

/**
 * Creates the two roles with their privileges; idempotent. Logins and passwords come from the URLs that name the roles.
 * Each step is independent: an owner of the tables that may not create roles still grants the privileges on new tables
 * to roles that an administrator created. Logs the SQL of the steps that the operator's role may not do, once.
 *
 * @param pool - From `surviveLostConnections`: a lost connection then fails a statement, and does not end the process.
 * @returns Whether every step succeeded.
 */
export async function grantRoles(pool: pg.Pool, config: Config, log: Logger): Promise<boolean> {
  const client = await pool.connect();
  try {
    const missing = await retryConcurrent(client, async () => {
      const refused: string[] = [];
      for (const setting of getRoleSettings(config)) refused.push(...(await setUpRole(client, setting)));
      return refused;
    });
    if (missing.length === 0) return true;
    log.warn({ sql: missing.map(redactPassword) }, "database roles not created: run the SQL as an administrator");
    return false;
  } finally {
    client.release();
  }
}

const insufficientPrivilege = "42501";
const maxAttempts = 10;

/**
 * The errors of a grant while another process changes the same rows of the catalog (vacuum, analyze, migration), or drops
 * a table of the schema, such as a partition that the indexer has merged.
 */
const concurrentChange = /tuple concurrently (updated|deleted)|deadlock detected|cache lookup failed for relation/;

/** Runs work in one transaction. */
async function retryConcurrent<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin");
      // Prevents "tuple concurrently updated" between processes that start at the same time.
      await lockUntilCommit(client, "roles");
      const result = await work();
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      if (attempt === maxAttempts || !concurrentChange.test((error as Error).message)) throw error;
    }
  }
}

/** The state of a role, and of the login that the URL names. */
type RoleState = { exists: boolean; may_log_in: boolean; is_member: boolean };

/** Does the missing steps of a role. @returns The statements that the operator's role may not run. */
async function setUpRole(client: pg.PoolClient, { role, grants, url }: RoleSetting): Promise<string[]> {
  const user = url === undefined ? null : new URL(url);
  const login = user ? decodeURIComponent(user.username) : role;
  const { rows } = await client.query<RoleState>(
    `select r.oid is not null as exists, coalesce(r.rolcanlogin, false) as may_log_in,
       coalesce(l.rolsuper or pg_has_role(l.oid, r.oid, 'member'), false) as is_member
     from (select 1) one
     left join pg_roles r on r.rolname = $1
     left join pg_roles l on l.rolname = $2`,
    [role, login],
  );
  const state = rows[0]!;
  const create = `create role ${role} nologin`;
  const setPassword = createPasswordStatement(role, login, user);
  if (!state.exists && !(await runIfPermitted(client, [create]))) {
    return [create, ...setPassword, ...createMembership(role, login, state), ...grants];
  }
  const steps = [createMembership(role, login, state), grants];
  const missing: string[] = [];
  // A role that may log in has a password: a connection tests later whether the URL has the same one.
  if (!(await runIfPermitted(client, setPassword)) && !state.may_log_in) missing.push(...setPassword);
  for (const step of steps) if (!(await runIfPermitted(client, step))) missing.push(...step);
  return missing;
}

function createPasswordStatement(role: string, login: string, user: URL | null): string[] {
  if (login !== role || !user?.password) return [];
  return [`alter role ${role} login password ${pg.escapeLiteral(decodeURIComponent(user.password))}`];
}

/** The membership of another login in the role. A login that does not exist is reported by the check of its connection. */
function createMembership(role: string, login: string, state: RoleState): string[] {
  if (login === role || state.is_member) return [];
  return [
    `do $$ begin if exists (select from pg_roles where rolname = ${pg.escapeLiteral(login)}) then ` +
      `grant ${role} to ${pg.escapeIdentifier(login)}; end if; end $$`,
  ];
}

/** Runs statements, or none of them if one lacks a privilege. @returns Whether they ran. */
async function runIfPermitted(client: pg.PoolClient, statements: readonly string[]): Promise<boolean> {
  await client.query("savepoint step");
  try {
    for (const statement of statements) await client.query(statement);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
    await client.query("rollback to savepoint step");
    return false;
  }
}

function redactPassword(statement: string): string {
  return statement.replace(/ password .*/s, " password '...'");
}
