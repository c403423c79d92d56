import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setInterval as every } from "node:timers";
import { endProcess } from "../process/childRecords.ts";
import { processCommandLine } from "../process/processIdentity.ts";
import { StackError } from "../stack/stackError.ts";

/** How often a saved state is set aside as the previous one. */
const copyIntervalMs = 60_000;

/** The chain's state file in a stack's folder, and the copy of an earlier save. */
export function chainStatePaths(dir: string): { state: string; previous: string; pid: string } {
  return { state: join(dir, "chain.json"), previous: join(dir, "chain.previous.json"), pid: join(dir, "chain.pid") };
}

/**
 * Makes the state file loadable. Anvil rewrites it in place, so a kill or a full disk can leave half of it: then the
 * copy of the save before takes its place, and the chain comes back a little behind the database, as a rewind.
 *
 * @returns `none` when there is no chain yet, `saved` or `previous` for what will be loaded
 * @throws StackError when neither file can be read
 */
export function prepareChainState(dir: string): "none" | "saved" | "previous" {
  const { state, previous } = chainStatePaths(dir);
  if (!existsSync(state) && !existsSync(previous)) return "none";
  if (isWhole(state)) return "saved";
  if (isWhole(previous)) {
    copyFileSync(previous, state);
    return "previous";
  }
  throw new StackError(
    `The state of the local chain is damaged: ${state} was only half written, and there is no earlier copy.`,
    "Drop the local data and begin anew: npm run reset",
  );
}

function isWhole(path: string): boolean {
  try {
    return typeof JSON.parse(readFileSync(path, "utf8")).block === "object";
  } catch {
    return false;
  }
}

/** Copies the state file now and then, whenever it is not being written. @returns a function that ends it */
export function keepPreviousState(dir: string): () => void {
  const { state, previous } = chainStatePaths(dir);
  let copied = 0;
  const timer = every(() => {
    try {
      const before = statSync(state);
      if (before.mtimeMs === copied) return;
      const partial = `${previous}.partial`;
      copyFileSync(state, partial);
      const after = statSync(state);
      const quiet = before.mtimeMs === after.mtimeMs && before.size === after.size && endsLikeJson(partial);
      if (!quiet) return rmSync(partial, { force: true });
      renameSync(partial, previous);
      copied = before.mtimeMs;
    } catch {
      // Not saved yet: nothing to copy.
    }
  }, copyIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

function endsLikeJson(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, fstatSync(file).size - 1);
    return last.toString() === "}";
  } finally {
    closeSync(file);
  }
}

/**
 * Ends a chain of the same folder that survived a crash; it saves its state on the way. @returns true when one ran
 */
export async function endSurvivingChain(dir: string): Promise<boolean> {
  const { state, pid: pidFile } = chainStatePaths(dir);
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, "utf8"));
  } catch {
    return false;
  }
  rmSync(pidFile, { force: true });
  const commandLine = processCommandLine(pid);
  // The pid may by now be another program's.
  if (!commandLine?.includes(state) || !basename(commandLine.split(" ")[0] ?? "").startsWith("anvil")) return false;
  await endProcess(pid, "SIGINT", 60_000);
  return true;
}
