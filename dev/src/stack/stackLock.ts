import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { lock } from "proper-lockfile";
import { processIdentity } from "../process/processIdentity.ts";
import { StackError } from "./stackError.ts";

type Holder = { pid: number; identity: string };

/**
 * Takes the lock of a stack's folder for this process, so that two starts in one checkout cannot use the same chain and
 * database. The lock identifies its holder by `processIdentity` and is free as soon as that process has ended, also by
 * SIGKILL. `proper-lockfile` guards only the change of holder: it judges a holder by the age of a file, so a killed
 * holder would block the next start, a suspended holder would lose the lock, and a stale lock can get two new holders.
 *
 * @returns a function that releases the lock
 * @throws StackError that names the process that holds the lock
 */
export async function takeStackLock(path: string): Promise<() => void> {
  const own: Holder = { pid: process.pid, identity: processIdentity(process.pid) ?? String(process.pid) };
  const unlock = await lock(path, {
    realpath: false,
    // The guard is held for one check and one write: an older guard belongs to a process that was killed in between.
    stale: 5_000,
    retries: { retries: 100, factor: 1, minTimeout: 100, maxTimeout: 100 },
  }).catch((cause: unknown) => {
    throw new StackError(
      `The lock ${path} cannot be taken: ${(cause as Error).message}`,
      `Remove ${path}.lock if no stack runs in this checkout.`,
      {
        cause,
      },
    );
  });
  try {
    const holder = readStackLockHolder(path);
    if (holder !== null) {
      throw new StackError(
        `A local stack already runs here (process ${holder}).`,
        `Use that one (its addresses are in .slipway/dev.json), or stop it first: Ctrl-C where it runs, or kill ${holder}`,
      );
    }
    writeFileSync(`${path}.partial`, JSON.stringify(own), { mode: 0o600 });
    renameSync(`${path}.partial`, path);
  } finally {
    await unlock();
  }
  return () => {
    if (readHolder(path)?.identity === own.identity) rmSync(path, { force: true });
  };
}

/** Returns the pid of the running process that holds the lock, or null. */
export function readStackLockHolder(path: string): number | null {
  const holder = readHolder(path);
  return holder !== null && processIdentity(holder.pid) === holder.identity ? holder.pid : null;
}

function readHolder(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch {
    return null;
  }
}
