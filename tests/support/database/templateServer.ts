import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Postgres, startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { surviveLostConnections } from "@slipway/server/db/surviveLostConnections";
import pg from "pg";
import { copyTemplate, createTemplate } from "./templateDatabase.ts";

/** PostgreSQL with a migrated template database; started by the first request. */
type Databases = {
  postgres: Postgres;
  create(): Promise<string>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
};

async function startDatabases(): Promise<Databases> {
  const folder = temporaryFolder();
  const postgres = await startPostgres({ dir: folder.path, durable: false });
  // A client accepts one statement at a time; the pool queues the statements of concurrent requests.
  const connectionString = postgres.urlFor({ database: "postgres" });
  const pool = surviveLostConnections(new pg.Pool({ connectionString, max: 1 }));
  await createTemplate(pool, postgres.url);
  let created = 0;
  return {
    postgres,
    create: async () => {
      const name = `test_${++created}`;
      await copyTemplate(pool, name);
      return name;
    },
    drop: async (name) => void (await pool.query(`drop database if exists ${name} with (force)`)),
    stop: async () => {
      await pool.end();
      await postgres.stop();
      folder.remove();
    },
  };
}

/**
 * Vitest's global setup: serves databases to the tests of the whole run. `POST /` returns the URL of a new copy of the
 * migrated template, `DELETE /name` drops it. One PostgreSQL for all files replaces one for each file.
 */
export async function setup(): Promise<() => Promise<void>> {
  let databases: Promise<Databases> | null = null;
  // No idle connection is closed while a busy worker sends a request over it.
  const server: Server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    databases ??= startDatabases();
    const answer = async () => {
      const { postgres, create, drop } = await databases!;
      if (request.method === "DELETE") return await drop(request.url!.slice(1)).then(() => "");
      return postgres.urlFor({ database: await create() });
    };
    answer().then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.env.TEST_DATABASES = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async () => {
    server.closeAllConnections();
    server.close();
    await (await databases)?.stop();
  };
}
