import { execFileSync } from "node:child_process";
import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import getPort from "get-port";
import pg from "pg";
import { requireProgram } from "../../../tests/support/findProgram.ts";
import { type Cleanups, createProgram, createSubfolder, type Program, readPostmasterPid, until } from "./program.ts";

/** A PostgreSQL server with its Patroni. */
export type Member = {
  name: string;
  /** Both programs: a kill ends them like a failure of their machine. */
  program: Program;
  restPort: number;
  port: number;
  dataDir: string;
};

export type DatabaseCluster = {
  members: Member[];
  etcd: Program[];
  etcdPorts: number[];
  /** The URL of the primary, through HAProxy, for a role. */
  urlFor(role: "owner" | "api" | "indexer"): string;
  /** The URLs of the members for the API. */
  readUrls: string[];
  /** Returns the member that Patroni reports as the primary; null without one. */
  findPrimary(): Promise<Member | null>;
  /** Waits until there are a primary, a synchronous replica, and replicas that stream. */
  untilComplete(signal?: AbortSignal): Promise<void>;
};

const shipped = (name: string) => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), "utf8");
const size = 3;

/** Starts etcd, Patroni and PostgreSQL with the shipped configurations, three of each, and HAProxy before them. */
export async function startDatabase(dir: string, signal: AbortSignal, cleanups: Cleanups): Promise<DatabaseCluster> {
  const owner =
    process.getuid?.() === 0 ? Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" })) : undefined;
  const readPorts = async () => await Promise.all(Array.from({ length: size }, () => getPort({ host: "127.0.0.1" })));
  const [clientPorts, peerPorts, restPorts, ports] = [
    await readPorts(),
    await readPorts(),
    await readPorts(),
    await readPorts(),
  ];
  /**
   * Replaces the addresses of a shipped file by ports of this machine. The file names the first member; lists of all
   * members stay lists.
   *
   * @param own - The member that the file is for.
   */
  const localize = (text: string, own: number) => {
    const toLocal = (_: string, digit: string, port: string, key: string) => {
      const at = key === "own" ? own : Number(digit) - 1;
      const local = { "2379": clientPorts, "2380": peerPorts, "5432": ports, "8008": restPorts }[port]!;
      return `127.0.0.1:${local[at]}`;
    };
    const lines = text.split("\n").map((line) => {
      const isList = /hosts:|initial-cluster:|server postgres/.test(line);
      return line
        .replace(/10\.0\.0\.1(\d):(\d{4})/g, (all, digit, port) => toLocal(all, digit, port, isList ? "list" : "own"))
        .replace(
          /^( *server postgres(\d).* port )8008/,
          (_, start, digit) => `${start}${restPorts[Number(digit) - 1]}`,
        );
    });
    return lines.join("\n").replaceAll("10.0.0.0/24", "127.0.0.1/32");
  };

  const etcd = clientPorts.map((_, index) => {
    const name = `etcd${index + 1}`;
    const file = join(dir, `${name}.yml`);
    const text = shipped("etcd.yml")
      .replace("name: etcd1", `name: ${name}`)
      .replace("/var/lib/etcd/slipway", join(dir, `${name}-data`));
    writeFileSync(file, localize(text, index));
    const command = requireProgram("etcd");
    return createProgram({ name, dir, command, args: ["--config-file", file], endOrder: 3 });
  });
  for (const program of etcd) cleanups.push(program.stop);
  await Promise.all(etcd.map((program) => program.start()));
  const isHealthy = async (port: number) => (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  await until("etcd is healthy", async () => (await Promise.all(clientPorts.map(isHealthy))).every(Boolean), {
    signal,
  });

  const members = ports.map((port, index): Member => {
    const name = `postgres${index + 1}`;
    const home = createSubfolder(dir, name, owner);
    const dataDir = join(home, "data");
    const file = join(home, "patroni.yml");
    const text = shipped("patroni.yml")
      .replace("name: postgres1", `name: ${name}`)
      .replace("/var/lib/postgresql/15/slipway", dataDir)
      .replace("/var/lib/postgresql/patroni.pgpass", join(home, "pgpass"));
    writeFileSync(file, localize(text, index));
    if (owner !== undefined) chownSync(file, owner, owner);
    const alsoKill = () => [readPostmasterPid(dataDir) ?? []].flat();
    const command = requireProgram("patroni");
    const asUser = owner === undefined ? {} : { asUser: owner };
    const program = createProgram({ name, dir, command, args: [file], ...asUser, endOrder: 2, alsoKill });
    return { name, program, port, restPort: restPorts[index]!, dataDir };
  });
  for (const { program } of members) cleanups.push(program.stop);
  await Promise.all(members.map(({ program }) => program.start()));

  const findPrimary = async () => {
    const isPrimary = async ({ restPort }: Member) =>
      (await fetch(`http://127.0.0.1:${restPort}/primary`).catch(() => null))?.status === 200;
    const flags = await Promise.all(members.map(isPrimary));
    return members.find((_, index) => flags[index]) ?? null;
  };
  const untilComplete = async (abort?: AbortSignal) =>
    await until(
      "three members, one of them the primary and one a synchronous replica",
      async () => {
        const primary = await findPrimary();
        if (primary === null) return false;
        const answer = await fetch(`http://127.0.0.1:${primary.restPort}/cluster`);
        const { members: states } = (await answer.json()) as { members: { role: string; state: string }[] };
        const running = states.filter(({ state }) => state === "running" || state === "streaming");
        return running.length === size && states.some(({ role }) => role === "sync_standby");
      },
      { timeoutMs: 120_000, ...(abort && { signal: abort }) },
    );
  await untilComplete(signal);

  const balancerPort = await getPort({ host: "127.0.0.1" });
  const file = join(dir, "haproxy-database.cfg");
  writeFileSync(
    file,
    localize(shipped("haproxy-database.cfg"), 0).replaceAll("127.0.0.1:5000", `127.0.0.1:${balancerPort}`),
  );
  const args = ["-db", "-f", file];
  const balancer = createProgram({
    name: "haproxy-database",
    dir,
    command: requireProgram("haproxy"),
    args,
    endOrder: 1,
  });
  cleanups.push(balancer.stop);
  await balancer.start();

  const toUrl = (role: string, port: number, database = "slipway") =>
    `postgres://slipway_${role}:${role}-password@127.0.0.1:${port}/${database}`;
  await createRoles(`postgres://postgres:superuser-password@127.0.0.1:${balancerPort}/postgres`);
  return {
    members,
    etcd,
    etcdPorts: clientPorts,
    urlFor: (role) => toUrl(role, balancerPort),
    readUrls: ports.map((port) => toUrl("api", port)),
    findPrimary,
    untilComplete,
  };
}

/** Runs the SQL of docs/scaling.md (Roles) as the administrator. */
async function createRoles(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => undefined);
  try {
    await until("HAProxy leads to the primary", async () => {
      const { rows } = await pool.query("select pg_is_in_recovery() as is_replica");
      return !rows[0].is_replica;
    });
    for (const role of ["owner", "api", "indexer"]) {
      await pool.query(`create role slipway_${role} login password '${role}-password'`);
    }
    await pool.query("create database slipway owner slipway_owner");
  } finally {
    await pool.end();
  }
}
