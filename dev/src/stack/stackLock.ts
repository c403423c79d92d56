import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { processIdentity } from "../process/processIdentity.ts";
import { StackError } from "./stackError.ts";

type Holder = { pid: number; identity: string };

/**
 * Takes the lock of a stack's folder for this process, so that two starts in one checkout cannot fight over chain
 * and database. A lock whose process has ended is taken over.
 *
 * @returns a function that gives it back
 * @throws StackError naming the process that runs here
 */
export function takeStackLock(path: string): () => void {
  const own: Holder = { pid: process.pid, identity: processIdentity(process.pid) ?? String(process.pid) };
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      try {
        // A link either appears whole or not at all, and never replaces another's.
        linkSync(draft, path);
        return () => releaseLock(path, own);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = stackLockHolder(path);
      if (holder !== null) {
        throw new StackError(
          `A local stack already runs here (process ${holder}).`,
          `Use that one (its addresses are in .slipway/dev.json), or stop it first: Ctrl-C where it runs, or kill ${holder}`,
        );
      }
      setStaleLockAside(path);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new StackError(`The lock ${path} could not be taken.`, "Remove that file if no stack runs in this checkout.");
}

/** The pid of the process that holds the lock, or null when nobody alive does. */
export function stackLockHolder(path: string): number | null {
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

/** Removes a dead lock; if another start replaced it meanwhile, what was moved is its living lock: put it back. */
function setStaleLockAside(path: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  try {
    if (stackLockHolder(aside) !== null) linkSync(aside, path);
  } catch {
    // A third start was quicker; the loop sees it.
  } finally {
    rmSync(aside, { force: true });
  }
}

function releaseLock(path: string, own: Holder): void {
  if (readHolder(path)?.identity === own.identity) rmSync(path, { force: true });
}
