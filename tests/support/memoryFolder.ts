import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
 * Vitest's global setup: creates the temporary folder of the run, which its processes share, in memory if possible. A
 * copy of a database has a thousand files: it takes 40 ms in memory, and up to two seconds on a disk that other tests
 * write to. `TMPDIR` selects another place.
 */
export function setup(): () => Promise<void> {
  const before = process.env.TMPDIR;
  const parent = before === undefined && isUsable() ? memory : tmpdir();
  // Removes the folders of killed runs.
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix) && processIdentity(Number(name.slice(prefix.length))) === null) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
  const folder = join(parent, `${prefix}${process.pid}`);
  // Other users may access the folder: PostgreSQL runs as a separate user if this process is root.
  mkdirSync(folder, { mode: 0o755, recursive: true });
  process.env.TMPDIR = folder;
  return async () => {
    // A stack that the files of a worker share is still running.
    for (const name of readdirSync(folder)) await endOrphans(join(folder, name));
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}
