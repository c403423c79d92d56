import { copyFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StackError } from "../stack/stackError.ts";

/** The interval at which the saved state is copied. */
const backupIntervalMs = 60_000;

/** The chain's state file in a stack's folder, and the copy of an earlier save. */
export function getChainStatePaths(dir: string): { state: string; previous: string } {
  return { state: join(dir, "chain.json"), previous: join(dir, "chain.previous.json") };
}

/**
 * Makes the state file loadable. Anvil rewrites the file in place, so a kill or a full disk can leave a partial file.
 * In that case the copy of an earlier save replaces the file, and the chain is slightly behind the database, as after a
 * rewind.
 *
 * @returns `none` if there is no chain yet, otherwise the state to load: `saved` or `previous`
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
    `The state of the local chain is damaged: ${state} is incomplete, and there is no earlier copy.`,
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

/** Copies the state file periodically, unless anvil is writing it. @returns a function that stops the copies */
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
      // Not saved yet, so there is nothing to copy.
    }
  }, backupIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
