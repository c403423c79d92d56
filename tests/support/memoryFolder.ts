import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { processIdentity } from "@slipway/dev/process/processIdentity";

const memory = "/dev/shm";
const prefix = "slipway-test-";
/** What the databases and browsers of a run take, several times over. */
const minFreeBytes = 4 * 1024 ** 3;

/** Whether a memory file system is there that files can be written to and run from: in containers it often is small, or forbids that. */
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
 * Vitest's global setup: temporary folders of the tests are in memory where that can be. A copy of a database is a thousand files: it takes
 * 40 ms there, and up to two seconds on a disk that other tests write to. `TMPDIR` chooses another place.
 */
export function setup(): (() => void) | undefined {
  if (process.env.TMPDIR || !isUsable()) return undefined;
  // Of runs that were killed.
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && processIdentity(Number(name.slice(prefix.length))) === null) {
      rmSync(join(memory, name), { recursive: true, force: true });
    }
  }
  const folder = join(memory, `${prefix}${process.pid}`);
  // Others may enter it: PostgreSQL runs as a user of its own where this process is root.
  mkdirSync(folder, { mode: 0o755, recursive: true });
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}
