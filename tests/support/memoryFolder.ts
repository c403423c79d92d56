import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { endOrphans } from "@slipway/dev/process/childRecords";
import { processIdentity } from "@slipway/dev/process/processIdentity";

const memory = "/dev/shm";
const prefix = "slipway-test-";
/** Several times the space that the databases and browsers of a run need. */
const minFreeBytes = 4 * 1024 ** 3;

/**
 * Whether there is a memory file system with enough space that allows programs; in containers it is often small or
 * noexec.
 */
function isUsable(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === memory);
    const options = mount?.split(" ")[3]?.split(",");
    return options !== undefined && !options.includes("noexec") && bavail * bsize >= minFreeBytes;
  } catch {
    return false;
  }
}

/**
 * Makes `tmpdir()` the temporary folder of the run, which its processes share, in memory if possible: a copy of a database
 * has a thousand files, which takes 40 ms in memory and up to two seconds on a disk that other tests write to. `TMPDIR`
 * selects another place. The setup of a project calls it first, because Vitest runs the setup of a project before the
 * setup of all projects.
 *
 * @returns the folder
 */
export function useMemoryFolder(): string {
  const name = `${prefix}${process.pid}`;
  const before = process.env.TMPDIR;
  if (before !== undefined && basename(before) === name) return before;
  const parent = before === undefined && isUsable() ? memory : tmpdir();
  // Removes the folders of killed runs.
  for (const other of readdirSync(parent)) {
    if (other.startsWith(prefix) && processIdentity(Number(other.slice(prefix.length))) === null) {
      rmSync(join(parent, other), { recursive: true, force: true });
    }
  }
  const folder = join(parent, name);
  // Other users may access the folder: PostgreSQL runs as a separate user if this process is root.
  mkdirSync(folder, { mode: 0o755, recursive: true });
  process.env.TMPDIR = folder;
  return folder;
}

/** Vitest's global setup of all projects. */
export function setup(): () => Promise<void> {
  const folder = useMemoryFolder();
  return async () => {
    // A stack that the files of a worker share is still running.
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await endOrphans(join(folder, entry.name));
    }
    process.env.TMPDIR = dirname(folder);
    // A process that ends can still write: removing a folder with a new file fails.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}
