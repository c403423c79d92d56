import pg from "pg";
import { type Config, ConfigError } from "../config.ts";
import { connectOrExplain } from "./explainDatabaseError.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/** The oldest supported PostgreSQL version: a migration uses MERGE. */
const minMajorVersion = 15;

/**
 * Connects as the owner, and checks that the server supports the migrations.
 *
 * @throws ConfigError when only the operator can fix the problem; another error while the server is down or read-only.
 */
export async function checkOwner(owner: pg.Pool, config: Pick<Config, "DATABASE_URL">): Promise<void> {
  const { rows } = await withConnection("DATABASE_URL", config.DATABASE_URL, owner, (client) =>
    client.query<{ version: number; read_only: boolean }>(
      `select current_setting('server_version_num')::int as version,
         current_setting('transaction_read_only')::bool as read_only`,
    ),
  );
  const { version, read_only: isReadOnly } = rows[0]!;
  const major = Math.floor(version / 10_000);
  if (major < minMajorVersion) {
    throw new ConfigError([
      `DATABASE_URL: the server is PostgreSQL ${major}; use PostgreSQL ${minMajorVersion} or newer`,
    ]);
  }
  if (isReadOnly) {
    throw new Error("DATABASE_URL: the server is read-only; name the primary, or wait until it takes writes again");
  }
}

/**
 * Checks a database without our tables: it must be empty or shared by the operator, and the role must be permitted to
 * create our tables.
 *
 * @throws ConfigError
 */
export async function checkUnclaimedDatabase(client: pg.ClientBase, isShared: boolean): Promise<void> {
  const { rows } = await client.query<{ role: string; name: string; foreign: string[]; missing: string[] }>(`
    select current_user as role, current_database() as name,
      array(
        select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'f', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
          and not exists (
            select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
        order by 1 limit 4) as foreign,
      array(
        select format('grant create on database %I to %I', current_database(), current_user)
        where not has_database_privilege(current_database(), 'create')
        union all
        select format('grant usage, create on schema public to %I', current_user)
        where not coalesce(has_schema_privilege(to_regnamespace('public'), 'create')
          and has_schema_privilege(to_regnamespace('public'), 'usage'), false)) as missing`);
  const { role, name, foreign, missing } = rows[0]!;
  if (foreign.length > 0 && !isShared) {
    const shown = foreign.length > 3 ? [...foreign.slice(0, 3), "..."] : foreign;
    throw new ConfigError([
      `DATABASE_URL: the database "${name}" contains only foreign tables (${shown.join(", ")}); ` +
        "name an empty database, or set DATABASE_SHARED=true to create the schemas app and chain in this database",
    ]);
  }
  if (missing.length > 0) {
    throw new ConfigError([
      `DATABASE_URL: the role "${role}" may not create our tables; as an administrator, run: ${missing.join("; ")}`,
    ]);
  }
}

/** Privileges that a role needs on the tables of a schema. */
const requirements = {
  app: ["select", "insert", "update", "delete"],
  chain: ["select", "insert", "update", "delete", "truncate"],
} as const;

/**
 * Checks that the lesser roles of this process may connect and use the tables of their schemas. Runs after the grant of
 * their privileges. A server that does not answer does not prevent the start.
 *
 * @throws ConfigError with the problems of all roles.
 */
export async function checkRoles(config: Config): Promise<void> {
  const [api, indexer] = [["api", "worker"], ["indexer"]].map((roles) =>
    config.ROLES.some((role) => roles.includes(role)),
  );
  const checks = [
    { setting: "DATABASE_API_URL", isUsed: api, schema: "app", privileges: requirements.app },
    { setting: "DATABASE_INDEXER_URL", isUsed: indexer, schema: "chain", privileges: requirements.chain },
    { setting: "DATABASE_READ_URL", isUsed: api, schema: "chain", privileges: ["select"] },
  ] as const;
  const problems: string[] = [];
  for (const { setting, isUsed, schema, privileges } of checks) {
    if (!isUsed) continue;
    for (const url of [config[setting] ?? []].flat()) {
      const problem = await findRoleProblem(setting, url, schema, privileges);
      if (problem !== null) problems.push(problem);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

async function findRoleProblem(
  setting: string,
  connectionString: string,
  schema: string,
  privileges: readonly string[],
): Promise<string | null> {
  const pool = surviveLostConnections(
    new pg.Pool({ connectionString, max: 1, application_name: "slipway-check", connectionTimeoutMillis }),
  );
  try {
    const { rows } = await withConnection(setting, connectionString, pool, (client) =>
      client.query<{ role: string; tables: string[] }>(
        `select current_user as role, array(
           select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = $1 and c.relkind in ('r', 'p')
             and not (has_schema_privilege(n.oid, 'usage')
               and (select bool_and(has_table_privilege(c.oid, privilege)) from unnest($2::text[]) privilege))
           order by 1) as tables`,
        [schema, privileges],
      ),
    );
    const { role, tables } = rows[0]!;
    if (tables.length === 0) return null;
    return (
      `${setting}: the role "${role}" lacks ${privileges.join(", ")} on ${tables.length} tables (${tables[0]}, ...); ` +
      "run the SQL that the log names as an administrator"
    );
  } catch (error) {
    // Ignores a temporary failure: the pools connect later, and until then affected requests answer 503.
    return error instanceof ConfigError ? error.problems[0]! : null;
  } finally {
    await pool.end();
  }
}

/** Timeout of the first connection of a start, in milliseconds. */
export const connectionTimeoutMillis = 10_000;

/** Runs a query on a connection of the pool. @throws An explanation, if the connection fails. */
async function withConnection<T>(
  setting: string,
  connectionString: string,
  pool: pg.Pool,
  run: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connectOrExplain(setting, connectionString, pool);
  try {
    return await run(client);
  } finally {
    client.release();
  }
}
