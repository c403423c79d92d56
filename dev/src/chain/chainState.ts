import { copyFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StackError } from "../stack/stackError.ts";

/** How often the saved state is copied. */
const backupIntervalMs = 60_000;

/** The chain's state file in a stack's folder and the copy of an earlier save. */
export function getChainStatePaths(dir: string): { state: string; previous: string } {
  return { state: join(dir, "chain.json"), previous: join(dir, "chain.previous.json") };
}

/**
 * Makes the state file loadable. Anvil rewrites it in place, so a kill or a full disk can leave half of it: then the
 * copy of an earlier save replaces it, and the chain is a little behind the database, as after a rewind.
 *
 * @returns `none` when there is no chain yet, `saved` or `previous` for what will be loaded
 * @throws StackError when neither file can be read
 */
export function prepareChainState(dir: string): "none" | "saved" | "previous" {
  const { state, previous } = getChainStatePaths(dir);
  if (!existsSync(state) && !existsSync(previous)) return "none";
  if (isComplete(state)) return "saved";
  if (isComplete(previous)) {
    copyFileSync(previous, state);
    return "previous";
  }
  throw new StackError(
    `The state of the local chain is damaged: ${state} was only half written, and there is no earlier copy.`,
    "Delete the local data and start again: npm run reset",
  );
}

function isComplete(path: string): boolean {
  try {
    return typeof JSON.parse(readFileSync(path, "utf8")).block === "object";
  } catch {
    return false;
  }
}

/** Copies the state file periodically, unless anvil is writing it. @returns a function that ends it */
export function startStateBackups(dir: string): () => void {
  const { state, previous } = getChainStatePaths(dir);
  let copiedMtimeMs = 0;
  const timer = setInterval(() => {
    try {
      const { mtimeMs } = statSync(state);
      if (mtimeMs === copiedMtimeMs) return;
      const content = readFileSync(state);
      const after = statSync(state);
      const isUnchanged = after.mtimeMs === mtimeMs && after.size === content.length;
      if (!isUnchanged || content.at(-1) !== "}".charCodeAt(0)) return;
      writeFileSync(`${previous}.partial`, content);
      renameSync(`${previous}.partial`, previous);
      copiedMtimeMs = mtimeMs;
    } catch {
      // Not saved yet: nothing to copy.
    }
  }, backupIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
