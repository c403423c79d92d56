import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { processIdentity } from "../process/processIdentity.ts";
import { externalFolder } from "./postgresProgram.ts";
import { type Postgres, type StartPostgresParameters, startPostgres } from "./startPostgres.ts";

const isRoot = process.getuid?.() === 0;

async function started(parameters: StartPostgresParameters): Promise<Postgres> {
  const postgres = await startPostgres({ durable: false, ...parameters });
  onTestFinished(postgres.stop);
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("startPostgres", () => {
  test("starts PostgreSQL 18 with UTF-8, a builtin locale and a database of its own", async () => {
    const postgres = await started({ dir: createTestFolder() });
    const rows = await query(
      postgres.url,
      "select current_setting('server_version_num')::int / 10000 as major, datlocprovider as provider, datlocale as locale, current_database() as name from pg_database where datname = current_database()",
    );
    expect(rows).toEqual([{ major: 18, provider: "b", locale: "C.UTF-8", name: "slipway" }]);
    expect(postgres.created).toBe(true);
  });

  test("listens only on 127.0.0.1 and requires the password", async () => {
    const postgres = await started({ dir: createTestFolder() });
    expect(await query(postgres.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
    await expect(query(postgres.urlFor({ password: "wrong" }), "select 1")).rejects.toThrow(
      /password authentication failed/,
    );
  });

  test("stores its password readable for its owner only and out of the log", async () => {
    const dir = createTestFolder();
    await started({ dir });
    expect(statSync(join(dir, "postgres.password")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dir, "postgres.log"), "utf8")).not.toContain(
      readFileSync(join(dir, "postgres.password"), "utf8").trim(),
    );
  });

  test("continues with its data after a stop", async () => {
    const dir = createTestFolder();
    const first = await started({ dir });
    await query(first.url, "create table committed (x int)");
    await first.stop();
    const second = await started({ dir });
    expect(await query(second.url, "select * from committed")).toEqual([]);
    expect(second.created).toBe(false);
  });

  test("ends an orphaned server and continues with the committed data", async () => {
    const dir = createTestFolder();
    const orphan = await started({ dir });
    await query(orphan.url, "create table committed (x int)");
    const second = await started({ dir });
    expect(second.endedOrphan).toBe(true);
    expect(processIdentity(orphan.child.pid)).toBeNull();
    expect(await query(second.url, "select * from committed")).toEqual([]);
  });

  test("recovers after kill -9", async () => {
    const dir = createTestFolder();
    const first = await started({ dir, durable: true });
    await query(first.url, "create table committed (x int)");
    process.kill(first.child.pid, "SIGKILL");
    await first.child.exited;
    const second = await started({ dir, durable: true });
    expect(await query(second.url, "select * from committed")).toEqual([]);
  });

  test("waits until the processes of a killed server have ended", async () => {
    const dir = createTestFolder();
    const first = await started({ dir, durable: true });
    const [checkpointer] = await query(
      first.url,
      "select pid from pg_stat_activity where backend_type = 'checkpointer'",
    );
    const { pid } = checkpointer as { pid: number };
    process.kill(pid, "SIGSTOP");
    process.kill(first.child.pid, "SIGKILL");
    await first.child.exited;
    const second = started({ dir, durable: true });
    const log = () => readFileSync(join(dir, "postgres.log"), "utf8");
    await expect.poll(log).toContain("pre-existing shared memory block");
    process.kill(pid, "SIGCONT");
    expect(await query((await second).url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("ignores a pid file that names another program", async () => {
    const dir = createTestFolder();
    const first = await started({ dir });
    await first.stop();
    writeFileSync(join(dir, "postgres", "postmaster.pid"), `${process.pid}\n${join(dir, "postgres")}\n`);
    const second = await started({ dir });
    expect(second.endedOrphan).toBe(false);
    expect(processIdentity(process.pid)).not.toBeNull();
  });

  test("uses another port when the preferred one is taken", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const postgres = await started({ dir: createTestFolder(), preferredPorts: [port] });
    expect(postgres.port).not.toBe(port);
  });

  test("starts again after an interrupted initdb", async () => {
    const dir = createTestFolder();
    mkdirSync(join(dir, "postgres.partial"));
    writeFileSync(join(dir, "postgres.partial", "PG_VERSION"), "18\n");
    const postgres = await started({ dir });
    expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test.each([
    [
      "another PostgreSQL's data",
      (dir: string) => writeFileSync(join(dir, "postgres", "PG_VERSION"), "16\n"),
      /made by PostgreSQL 16/,
    ],
    ["something else", () => undefined, /is not a PostgreSQL data folder/],
  ])("refuses a folder with %s with advice", async (_, fill, message) => {
    const dir = createTestFolder();
    mkdirSync(join(dir, "postgres"));
    fill(dir);
    await expect(startPostgres({ dir })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      whatToDo: expect.stringContaining("npm run reset"),
    });
  });

  test("refuses a database that does not accept the stored password", async () => {
    const dir = createTestFolder();
    await (await started({ dir })).stop();
    writeFileSync(join(dir, "postgres.password"), "another\n");
    await expect(startPostgres({ dir })).rejects.toThrow(/does not accept the password/);
  });

  test("refuses a database without its password", async () => {
    const dir = createTestFolder();
    await (await started({ dir })).stop();
    rmSync(join(dir, "postgres.password"));
    await expect(startPostgres({ dir })).rejects.toThrow(/its password .* is not/);
  });

  test.runIf(isRoot)(
    "runs as an unprivileged user where namespaces are forbidden, and continues with its data",
    async () => {
      const dir = createTestFolder();
      const first = await started({ dir, mode: "unprivileged" });
      await query(first.url, "create table committed (x int)");
      const status = readFileSync(`/proc/${first.child.pid}/status`, "utf8");
      expect(status).toMatch(/^Uid:\s+65534\s/m);
      expect(existsSync(join(externalFolder(dir), "data"))).toBe(true);
      await first.stop();
      const second = await started({ dir, mode: "unprivileged" });
      expect(await query(second.url, "select * from committed")).toEqual([]);
    },
  );
});
