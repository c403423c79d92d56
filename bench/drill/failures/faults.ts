import { readFileSync } from "node:fs";
import { type Program, readPostmasterPid, signalIfAlive, until } from "./program.ts";
import type { DatabaseCluster, Member } from "./startDatabase.ts";
import type { Service, ServiceProcess } from "./startService.ts";

/** The process or server that a fault ends; the drill measures until it is restored. */
export type Fault = {
  name: string;
  description: string;
  /** Which of these must be replaced within its goal. */
  replaces: { leader: boolean; primary: boolean };
  /** Ends something. @returns the function that starts it again. */
  inject(): Promise<() => Promise<void>>;
};

const killAndStart = async (program: Program) => {
  await program.kill();
  return async () => await program.start();
};

/** The number of log lines with an event, and the time of the last one. */
export function readEvents(logPath: string, event: string): { atMs: number }[] {
  return readFileSync(logPath, "utf8")
    .split("\n")
    .filter((line) => line.includes(event))
    .map((line) => ({ atMs: Date.parse(JSON.parse(line).time) || Number(JSON.parse(line).time) }));
}

export const leaderEvent = "indexer became the leader";

export function findLeader({ indexers }: Service): ServiceProcess {
  const lastLed = ({ program }: ServiceProcess) => readEvents(program.logPath, leaderEvent).at(-1)?.atMs ?? 0;
  return indexers.toSorted((a, b) => lastLed(b) - lastLed(a))[0]!;
}

async function requirePrimary(database: DatabaseCluster): Promise<Member> {
  await until("a primary", async () => (await database.findPrimary()) !== null);
  return (await database.findPrimary())!;
}

/** Returns the replica that an API reads from. */
async function findUsedReplica(database: DatabaseCluster, service: Service): Promise<Member> {
  const primary = await requirePrimary(database);
  const replicas = database.members.filter((member) => member !== primary);
  for (const { program } of service.apis) {
    const used = readFileSync(program.logPath, "utf8")
      .split("\n")
      .findLast((line) => line.includes("reads use a replica"));
    const member = replicas.find(({ host, port }) => used?.includes(`${host.address}:${port}`));
    if (member !== undefined) return member;
  }
  return replicas[0]!;
}

async function findEtcdLeader({ etcd }: DatabaseCluster): Promise<Program> {
  for (const { program, url } of etcd) {
    const text = await fetch(`${url}/metrics`).then((answer) => answer.text());
    if (/^etcd_server_is_leader 1$/m.test(text)) return program;
  }
  return etcd[0]!.program;
}

/** The faults in the order in which the drill injects them. */
export function createFaults(database: DatabaseCluster, service: Service): Fault[] {
  const none = { leader: false, primary: false };
  return [
    {
      name: "api",
      description: "an API",
      replaces: none,
      inject: async () => await killAndStart(service.apis[0]!.program),
    },
    {
      name: "balancer",
      description: "a load balancer",
      replaces: none,
      inject: async () => await killAndStart(service.balancers[0]!.program),
    },
    {
      name: "leader",
      description: "the leading indexer",
      replaces: { leader: true, primary: false },
      inject: async () => await killAndStart(findLeader(service).program),
    },
    {
      name: "replica",
      description: "the replica that an API reads from, with its Patroni",
      replaces: none,
      inject: async () => await killAndStart((await findUsedReplica(database, service)).program),
    },
    {
      name: "etcd",
      description: "the leader of etcd",
      replaces: none,
      inject: async () => await killAndStart(await findEtcdLeader(database)),
    },
    {
      name: "postgres",
      description: "PostgreSQL of the primary; its Patroni continues",
      replaces: { leader: false, primary: true },
      inject: async () => {
        const primary = await requirePrimary(database);
        signalIfAlive(readPostmasterPid(primary.dataDir)!, "SIGKILL");
        return async () => undefined;
      },
    },
    {
      name: "primary",
      description: "the primary's machine: PostgreSQL and Patroni",
      replaces: { leader: false, primary: true },
      inject: async () => await killAndStart((await requirePrimary(database)).program),
    },
  ];
}
