import pg from "pg";
import type { WalPosition } from "./replicaLag.ts";

type Queryable = Pick<pg.Pool, "query">;

/** Identifies a running server: Unix seconds at which its program started, with microseconds. */
export type ServerIdentity = string;

const identitySql = "extract(epoch from pg_postmaster_start_time())::text";

/** A server that reads may use, as the last check found it. */
export type ReadServer = {
  /** `primary`, or host and port of a replica. */
  name: string;
  pool: pg.Pool;
  /** One connection with short timeouts, on which checks do not wait for requests. */
  checks: pg.Pool;
  /** Null before the first check. */
  isUp: boolean | null;
  /** The number of reads in progress. */
  reading: number;
  /** Called whenever the server is found down. A read in progress is then repeated at another server, if there is one. */
  abandon: Set<() => void>;
};

/** Thrown in place of the answer of a server that is down. */
export class ServerLost extends Error {
  override name = "ServerLost";
  /** SQLSTATE connection_failure. */
  readonly code = "08006";
}

/** Thrown in place of the answer of a server that was found down, while another server may answer. */
export class ReadAbandoned extends ServerLost {
  override name = "ReadAbandoned";
}

/** Thrown when a connection leads to another server than the checks: its position is unknown. */
export class AnotherServer extends ServerLost {
  override name = "AnotherServer";
}

/** The state of a server. */
export type ServerState = {
  identity: ServerIdentity;
  isReplica: boolean;
  /**
   * Whether it has received changes from another server since its start. False for a former primary that has started
   * as a replica: it can show commits that no replica has, and that the next primary lacks.
   */
  hasReceived: boolean;
  position: WalPosition;
  /** The primary whose row it has; null without a row. */
  primary: ServerIdentity | null;
};

/**
 * Reads the flushed position of a primary, or the last position that a replica replayed. A commit is visible only after
 * its flush, unless `synchronous_commit` is off. Positions that are not flushed may never reach a replica.
 */
export async function readServerState(db: Queryable): Promise<ServerState> {
  const { rows } = await db.query<ServerState>(`
    select ${identitySql} as identity, pg_catalog.pg_is_in_recovery() as "isReplica",
      pg_catalog.pg_last_wal_receive_lsn() is not null as "hasReceived",
      (case when pg_catalog.pg_is_in_recovery() then coalesce(pg_catalog.pg_last_wal_replay_lsn(), '0/0') else pg_catalog.pg_current_wal_flush_lsn() end
        - '0/0'::pg_lsn)::float8 as position,
      (select started from app.primary_server) as "primary"`);
  return rows[0]!;
}

/**
 * Writes the row of the primary, which its replicas then receive. Does not wait for a synchronous replica, because reads
 * must not depend on one.
 */
export async function writePrimaryRow(db: Queryable): Promise<void> {
  await db.query(`
    begin;
    set local synchronous_commit = off;
    insert into app.primary_server (started) values (${identitySql}) on conflict (id) do update
      set started = excluded.started where primary_server.started <> excluded.started;
    commit`);
}

const identities = new WeakMap<object, ServerIdentity>();

/** Reads which server a connection leads to. */
async function readIdentity(client: pg.ClientBase): Promise<ServerIdentity> {
  const { rows } = await client.query<{ identity: ServerIdentity }>(`select ${identitySql} as identity`);
  return rows[0]!.identity;
}

/** Stores the server of a new connection, for `createQueriesAt`. */
export async function identifyConnection(client: pg.ClientBase): Promise<void> {
  identities.set(client, await readIdentity(client));
}

/** The number of connections by which several servers behind one name are found. */
const probes = 4;

/** Returns the servers to which new connections lead. Connections that fail count as none. */
export async function findIdentities(connection: pg.ClientConfig): Promise<Set<ServerIdentity>> {
  const identify = async () => {
    const client = new pg.Client(connection);
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await readIdentity(client);
    } finally {
      await client.end();
    }
  };
  const found = await Promise.allSettled(Array.from({ length: probes }, identify));
  return new Set(found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
}

/**
 * Creates queries that run only on connections to one server, although the name of its URL may lead to several.
 *
 * @param getIdentity - Returns the server that the checks follow.
 */
export function createQueriesAt(pool: pg.Pool, getIdentity: () => ServerIdentity | null): Queryable {
  const query = async (...parameters: unknown[]) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      if (identities.get(client) !== getIdentity()) throw new AnotherServer("a connection leads to another server");
      return await (client.query as (...all: unknown[]) => Promise<unknown>).apply(client, parameters);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      // As in `pg.Pool.query`: a connection is not used again after an error.
      client.release(failure);
    }
  };
  return { query: query as pg.Pool["query"] };
}
