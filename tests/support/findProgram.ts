import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders of Debian's servers, which are not in the PATH of every user. */
const systemFolders = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"];

export const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

function find(name: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), ...systemFolders];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/**
 * Installs packages with apt-get, if this process may. The services of the packages are not started.
 *
 * @param packages - The first package that can be installed is installed.
 */
export function installPackage(packages: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  // Another test run may be installing it, so wait for dpkg's lock.
  const aptGet = (...args: string[]) =>
    spawnSync("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=300", ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", SYSTEMD_OFFLINE: "1" },
      stdio: "ignore",
      timeout: 600_000,
    }).status === 0;
  const install = () => packages.some((name) => aptGet("install", "-y", "--no-install-recommends", name));
  if (install()) return;
  // Package lists are missing, as in a container image.
  aptGet("update");
  install();
}

/** The programs that tests and drills run, with their packages in Debian. */
const packages = {
  etcd: "etcd-server",
  haproxy: "haproxy",
  patroni: "patroni",
  pgbackrest: "pgbackrest",
  pgbouncer: "pgbouncer",
  prometheus: "prometheus",
  promtool: "prometheus",
};

/**
 * Returns the path of a server program that a test or a drill runs. Installs Debian's package if it is missing.
 *
 * @throws Error with the remedy if it is missing and cannot be installed.
 */
export function requireProgram(name: keyof typeof packages): string {
  let path = find(name);
  if (path === null) {
    process.stdout.write(`installing ${name} with apt-get, which a test runs\n`);
    installPackage([packages[name]]);
    path = find(name);
  }
  if (path === null)
    throw new Error(`${name} was not found: install it (Debian: apt-get install -y ${packages[name]})`);
  return path;
}
