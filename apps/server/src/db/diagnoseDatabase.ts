import pg from "pg";
import { type Config, ConfigError } from "../config.ts";
import { checkOwner, checkRoles } from "./checkDatabase.ts";
import { connectOrExplain } from "./explainDatabaseError.ts";
import { listPendingMigrations } from "./migrate.ts";
import { findIdentities } from "./readServer.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/** A result of `npm run doctor`. A problem prevents the start or a feature; a warning may become one. */
export type Finding = { check: string; level: "ok" | "warning" | "problem"; text: string };

/** Larger differences between clocks make quotes, sessions and challenges expire early or late. */
export const maxClockDifferenceMs = 2_000;
/** A replica that lacks more WAL serves few reads. */
const maxMissingBytes = 16 * 1024 * 1024;
const connectionTimeoutMillis = 5_000;

const toFindings = (check: string, error: unknown): Finding[] => {
  const problems = error instanceof ConfigError ? error.problems : [(error as Error).message];
  return problems.map((text) => ({ check, level: "problem", text }));
};

/** Checks the primary: connection, version, migrations, clock, number of connections, and the lesser roles. */
export async function diagnoseDatabase(config: Config, nowMs: () => number): Promise<Finding[]> {
  const owner = new pg.Pool({ connectionString: config.DATABASE_URL, max: 1, connectionTimeoutMillis });
  surviveLostConnections(owner);
  try {
    await checkOwner(owner, config);
    return [...(await describePrimary(owner, config, nowMs)), ...(await describeRoles(config))];
  } catch (error) {
    return toFindings("database", error);
  } finally {
    await owner.end();
  }
}

async function describePrimary(owner: pg.Pool, config: Config, nowMs: () => number): Promise<Finding[]> {
  const before = nowMs();
  const { rows } = await owner.query<{ version: string; now_ms: number; connections: number }>(
    `select current_setting('server_version') as version, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections`,
  );
  const { version, now_ms: databaseMs, connections } = rows[0]!;
  const pending = await listPendingMigrations(owner);
  const findings: Finding[] = [
    {
      check: "database",
      level: "ok",
      text: `PostgreSQL ${version}; ${pending.length === 0 ? "migrated" : `the next start runs ${pending.length} migrations`}`,
    },
  ];
  // The duration of the query is unknown to the database, so it counts as no difference.
  const differenceMs = Math.max(before - databaseMs, databaseMs - nowMs(), 0);
  const isClose = differenceMs <= maxClockDifferenceMs;
  findings.push({
    check: "clock",
    level: isClose ? "ok" : "problem",
    text: isClose
      ? "equals the database's clock"
      : `differs by ${(differenceMs / 1000).toFixed(1)} s from the database's clock; synchronise both machines (chrony)`,
  });
  const needed = config.DATABASE_POOL_SIZE * (config.DATABASE_READ_URL === undefined ? 2 : 3) + 11;
  if (connections < needed) {
    findings.push({
      check: "database",
      level: "warning",
      text: `allows ${connections} connections, but one process opens up to ${needed}; raise max_connections or lower DATABASE_POOL_SIZE`,
    });
  }
  return findings;
}

async function describeRoles(config: Config): Promise<Finding[]> {
  try {
    await checkRoles(config);
    const hasRoles = config.DATABASE_API_URL !== undefined && config.DATABASE_INDEXER_URL !== undefined;
    if (hasRoles) return [{ check: "roles", level: "ok", text: "connect, and have their privileges" }];
    const text =
      "the owner of the tables serves requests; set DATABASE_API_URL and DATABASE_INDEXER_URL to roles with fewer rights";
    return [{ check: "roles", level: "warning", text }];
  } catch (error) {
    return toFindings("roles", error);
  }
}

/** Checks each replica: connection, that it replicates, and how much of the primary's WAL it lacks. */
export async function diagnoseReplicas(config: Config): Promise<Finding[]> {
  const findings = (config.DATABASE_READ_URL ?? []).map((url) => diagnoseReplica(config, url));
  return (await Promise.all(findings)).flat();
}

async function diagnoseReplica(config: Config, url: string): Promise<Finding[]> {
  const setting = "DATABASE_READ_URL";
  const { host } = new URL(url);
  const toFinding = (level: Finding["level"], text: string): Finding[] => [{ check: "replica", level, text }];
  const replica = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis });
  const primary = new pg.Pool({ connectionString: config.DATABASE_URL, max: 1, connectionTimeoutMillis });
  for (const pool of [replica, primary]) surviveLostConnections(pool);
  try {
    (await connectOrExplain(setting, url, replica)).release();
    if ((await findIdentities(replica.options)).size > 1) {
      return toFinding(
        "problem",
        `${setting}: ${host} leads to several servers; name each replica, separated by commas`,
      );
    }
    const { rows: replayed } = await replica.query<{ position: string | null }>(
      "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end::text as position",
    );
    const { position } = replayed[0]!;
    if (position === null) {
      return toFinding("warning", `${setting}: ${host} is no replica; name a streaming replica, or remove the URL`);
    }
    const { rows } = await primary.query<{ missing: number }>(
      "select greatest(pg_current_wal_flush_lsn() - $1::pg_lsn, 0)::float8 as missing",
      [position],
    );
    const { missing } = rows[0]!;
    const text = `${host} lacks ${Math.ceil(missing / 1024)} kB of the primary's changes`;
    if (missing <= maxMissingBytes) return toFinding("ok", text);
    const remedy = "reads use another server; see pg_stat_replication at the primary and the log of the replica";
    return toFinding("warning", `${text}: ${remedy}`);
  } catch (error) {
    return toFindings("replica", error);
  } finally {
    await Promise.all([replica.end(), primary.end()]);
  }
}
