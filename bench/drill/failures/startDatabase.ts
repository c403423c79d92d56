import { execFileSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import pg from "pg";
import { requireProgram } from "../../../tests/support/findProgram.ts";
import type { Host } from "./hosts.ts";
import { type Cleanups, createProgram, createSubfolder, type Program, readPostmasterPid, until } from "./program.ts";
import { type Ports, readShippedFile } from "./shippedFile.ts";

/** A PostgreSQL server with its Patroni. */
export type Member = {
  name: string;
  host: Host;
  /** Patroni; a kill also ends PostgreSQL, like a failure of their machine. */
  program: Program;
  restUrl: string;
  port: number;
  dataDir: string;
};

export type DatabaseCluster = {
  members: Member[];
  etcd: { program: Program; url: string }[];
  /** The URL of the primary, through HAProxy, for a role. */
  urlFor(role: "owner" | "api" | "indexer"): string;
  /** The URLs of the members for the API. */
  readUrls: string[];
  /** Returns the member that Patroni reports as the primary; null without one. */
  findPrimary(): Promise<Member | null>;
  /** Waits until there are a primary, a synchronous replica, and a further replica. */
  untilComplete(signal?: AbortSignal): Promise<void>;
};

type Settings = { dir: string; hosts: readonly Host[]; ports: Ports; signal: AbortSignal; cleanups: Cleanups };

const restTimeoutMs = 1_000;
const get = async (url: string) => await fetch(url, { signal: AbortSignal.timeout(restTimeoutMs) });

/** Starts etcd, Patroni and PostgreSQL with the shipped configurations, one of each on a host, and HAProxy before them. */
export async function startDatabase(options: Omit<Settings, "ports">): Promise<DatabaseCluster> {
  const { hosts, signal } = options;
  const readPorts = async () => await Promise.all(hosts.map(() => getFreePort()));
  const ports: Ports = {
    "2379": await readPorts(),
    "2380": await readPorts(),
    "5432": await readPorts(),
    "8008": await readPorts(),
  };
  const settings = { ...options, ports };
  const etcd = await startEtcd(settings);
  const members = await startMembers(settings);
  const findPrimary = async () => {
    const isPrimary = async ({ restUrl }: Member) =>
      (await get(`${restUrl}/primary`).catch(() => null))?.status === 200;
    const flags = await Promise.all(members.map(isPrimary));
    return members.find((_, index) => flags[index]) ?? null;
  };
  const untilComplete = async (abort?: AbortSignal) =>
    await until(
      "three members, one of them the primary and one a synchronous replica",
      async () => {
        const primary = await findPrimary();
        if (primary === null) return false;
        const answer = await get(`${primary.restUrl}/cluster`);
        const { members: states } = (await answer.json()) as { members: { role: string; state: string }[] };
        const running = states.filter(({ state }) => state === "running" || state === "streaming");
        return running.length === hosts.length && states.some(({ role }) => role === "sync_standby");
      },
      { timeoutMs: 120_000, ...(abort && { signal: abort }) },
    );
  await untilComplete(signal);
  const balancer = await startBalancer(settings);
  await createRoles(`postgres://postgres:superuser-password@${balancer}/postgres`);
  const toUrl = (role: string, host: string) => `postgres://slipway_${role}:${role}-password@${host}/slipway`;
  return {
    members,
    etcd,
    urlFor: (role) => toUrl(role, balancer),
    readUrls: members.map(({ host, port }) => toUrl("api", `${host.address}:${port}`)),
    findPrimary,
    untilComplete,
  };
}

async function startEtcd({ dir, hosts, ports, signal, cleanups }: Settings): Promise<DatabaseCluster["etcd"]> {
  const etcd = hosts.map((host, index) => {
    const name = `etcd${index + 1}`;
    const file = join(dir, `${name}.yml`);
    const text = readShippedFile("etcd.yml", hosts, ports, index)
      .replace("name: etcd1", `name: ${name}`)
      .replace("/var/lib/etcd/slipway", join(dir, `${name}-data`));
    writeFileSync(file, text);
    const command = host.wrap({ command: requireProgram("etcd"), args: ["--config-file", file] });
    const program = createProgram({ name, dir, ...command, endOrder: 3 });
    return { program, url: `http://${host.address}:${ports["2379"][index]}` };
  });
  for (const { program } of etcd) cleanups.push(program.stop);
  await Promise.all(etcd.map(({ program }) => program.start()));
  const areHealthy = async () => {
    const answers = await Promise.all(etcd.map(({ url }) => get(`${url}/health`)));
    return answers.every(({ ok }) => ok);
  };
  await until("etcd is healthy", areHealthy, { signal });
  return etcd;
}

async function startMembers({ dir, hosts, ports, cleanups }: Settings): Promise<Member[]> {
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" })) : undefined;
  const members = hosts.map((host, index): Member => {
    const name = `postgres${index + 1}`;
    const home = createSubfolder(dir, name, owner);
    const dataDir = join(home, "data");
    const file = join(home, "patroni.yml");
    const text = readShippedFile("patroni.yml", hosts, ports, index)
      .replace("name: postgres1", `name: ${name}`)
      .replace("/var/lib/postgresql/15/slipway", dataDir)
      .replace("/var/lib/postgresql/patroni.pgpass", join(home, "pgpass"));
    writeFileSync(file, text);
    if (owner !== undefined) chownSync(file, owner, owner);
    const asUser = owner === undefined ? {} : { asUser: owner };
    const command = host.wrap({ command: requireProgram("patroni"), args: [file], ...asUser });
    const alsoKill = () => [readPostmasterPid(dataDir) ?? []].flat();
    const program = createProgram({ name, dir, ...command, endOrder: 2, alsoKill });
    const restUrl = `http://${host.address}:${ports["8008"][index]}`;
    return { name, host, program, restUrl, port: ports["5432"][index]!, dataDir };
  });
  for (const { program } of members) cleanups.push(program.stop);
  await Promise.all(members.map(({ program }) => program.start()));
  return members;
}

/** Starts HAProxy before the members. @returns its address. */
async function startBalancer({ dir, hosts, ports, cleanups }: Settings): Promise<string> {
  const address = `127.0.0.1:${await getFreePort()}`;
  const file = join(dir, "haproxy-database.cfg");
  const text = readShippedFile("haproxy-database.cfg", hosts, ports, 0).replaceAll("127.0.0.1:5000", address);
  writeFileSync(file, text);
  const command = { command: requireProgram("haproxy"), args: ["-db", "-f", file] };
  const balancer = createProgram({ name: "haproxy-database", dir, ...command, endOrder: 1 });
  cleanups.push(balancer.stop);
  await balancer.start();
  return address;
}

/** Runs the SQL of docs/scaling.md (Roles) as the administrator. */
export async function createRoles(url: string): Promise<void> {
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
