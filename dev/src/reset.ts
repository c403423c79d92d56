import { endOrphans } from "./process/childRecords.ts";
import { waitForReaper } from "./process/reaper.ts";
import { printError } from "./stack/progress.ts";
import { StackError } from "./stack/stackError.ts";
import { defaultStackDir, removeStackFolder, resolveStackFolder } from "./stack/stackFolder.ts";
import { readStackLockHolder } from "./stack/stackLock.ts";

/**
 * `npm run reset`: deletes the local stack's data (chain, database, keys, logs) and prints the deleted paths.
 *
 * @throws StackError while a stack runs, or when the folder does not belong to a stack
 */
export async function reset(dir: string, write: (text: string) => void): Promise<void> {
  const folder = resolveStackFolder(dir);
  const holder = readStackLockHolder(folder.lock);
  if (holder !== null) {
    throw new StackError(`The local stack is running (process ${holder}).`, "Stop it with Ctrl-C, then reset.");
  }
  await waitForReaper(folder.dir);
  const ended = await endOrphans(folder.dir);
  if (ended.length > 0) write(`Ended orphaned processes of a killed stack: ${ended.join(", ")}\n`);
  const removed = removeStackFolder(folder);
  if (removed.length === 0) write("Nothing to reset: there are no local data.\n");
  for (const { path, bytes } of removed) {
    write(`Deleted ${path} (${(bytes / 1e6).toFixed(1)} MB): the local chain, its database, keys and logs.\n`);
  }
}

if (import.meta.main) {
  try {
    await reset(defaultStackDir, (text) => process.stdout.write(text));
  } catch (error) {
    process.exitCode = printError(error);
  }
}
