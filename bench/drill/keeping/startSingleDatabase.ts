import { execFileSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { installPackage } from "../../../tests/support/findProgram.ts";
import {
  type Cleanups,
  createProgram,
  createSubfolder,
  type Program,
  readPostmasterPid,
  until,
} from "../failures/program.ts";
import { createRoles, type DatabaseCluster } from "../failures/startDatabase.ts";

/** One PostgreSQL server of Debian, whose owner may not create roles. */
export type SingleDatabase = DatabaseCluster & {
  program: Program;
  dataDir: string;
  /** The folder of the data, of the user of PostgreSQL. */
  home: string;
  /** The URL of the administrator. */
  adminUrl: string;
  /** Starts a server with other data of this cluster, which archives nothing. @returns its URL for the owner */
  startCopy(dataDir: string): Promise<string>;
  /** Runs a program as the user of PostgreSQL. @returns its output */
  runAsOwner(command: string, args: readonly string[]): string;
};

const binaries = "/usr/lib/postgresql";

/** Returns the folder of the newest version of PostgreSQL; installs Debian's package if there is none. */
function findBinaries(): string {
  if (!existsSync(binaries)) installPackage(["postgresql"]);
  const [newest] = existsSync(binaries) ? readdirSync(binaries).sort((a, b) => Number(b) - Number(a)) : [];
  if (newest === undefined)
    throw new Error("PostgreSQL was not found: install it (Debian: apt-get install postgresql)");
  return join(binaries, newest, "bin");
}

/**
 * Starts a durable server with the roles of docs/scaling.md.
 *
 * @param createSettings - Settings of PostgreSQL, from the folder of the server and its port.
 */
export async function startSingleDatabase(
  dir: string,
  cleanups: Cleanups,
  createSettings: (home: string, port: number) => Record<string, string> = () => ({}),
): Promise<SingleDatabase> {
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" })) : undefined;
  const asUser = owner === undefined ? {} : { asUser: owner };
  const home = createSubfolder(dir, "postgres", owner);
  const dataDir = join(home, "data");
  const bin = findBinaries();
  const identity = owner === undefined ? {} : { uid: owner, gid: owner };
  const runAsOwner = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { ...identity, cwd: home, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const passwordFile = join(home, "password");
  writeFileSync(passwordFile, "superuser-password\n", { mode: 0o600 });
  if (owner !== undefined) chownSync(passwordFile, owner, owner);
  const init = ["-D", dataDir, "-U", "postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--encoding=UTF8"];
  runAsOwner(join(bin, "initdb"), [...init, "--locale=C.UTF-8"]);
  const port = await getFreePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: home,
    max_connections: "200",
    ...createSettings(home, port),
  };
  const args = ["-D", dataDir, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const alsoKill = () => [readPostmasterPid(dataDir) ?? []].flat();
  const command = join(bin, "postgres");
  const program = createProgram({ name: "postgres", dir, command, args, ...asUser, endOrder: 3, alsoKill });
  cleanups.push(program.stop);
  await program.start();
  const adminUrl = `postgres://postgres:superuser-password@127.0.0.1:${port}/postgres`;
  const untilAnswering = async (listenPort: number) =>
    await until("PostgreSQL answers", () => {
      runAsOwner(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(listenPort)]);
      return true;
    });
  await untilAnswering(port);
  await createRoles(adminUrl);
  return {
    members: [],
    etcd: [],
    readUrls: [],
    findPrimary: async () => null,
    untilComplete: async () => undefined,
    urlFor: (role) => `postgres://slipway_${role}:${role}-password@127.0.0.1:${port}/slipway`,
    program,
    dataDir,
    home,
    adminUrl,
    startCopy: async (copyDir) => {
      const copyPort = await getFreePort();
      const own = ["-c", `port=${copyPort}`, "-c", `unix_socket_directories=${copyDir}`, "-c", "archive_mode=off"];
      const copyArgs = ["-D", copyDir, "-c", "max_connections=200", "-c", "listen_addresses=127.0.0.1", ...own];
      const copy = createProgram({ name: "copy", dir, command, args: copyArgs, ...asUser, endOrder: 3 });
      cleanups.push(copy.stop);
      await copy.start();
      await untilAnswering(copyPort);
      return `postgres://slipway_owner:owner-password@127.0.0.1:${copyPort}/slipway`;
    },
    runAsOwner,
  };
}
