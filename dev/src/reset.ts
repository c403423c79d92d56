import { endLeftovers } from "./process/childRecords.ts";
import { waitForGuard } from "./process/guard.ts";
import { showError } from "./stack/showError.ts";
import { defaultStackDir, removeStackFolder, stackFolder } from "./stack/stackFolder.ts";
import { stackLockHolder } from "./stack/stackLock.ts";
import { StackError } from "./stack/stackError.ts";

/**
 * `npm run reset`: drops the local stack's data (chain, database, keys, logs) and says what it deleted.
 *
 * @throws StackError while a stack runs, or when the folder is not a stack's
 */
export async function reset(dir: string, write: (text: string) => void): Promise<void> {
  const folder = stackFolder(dir);
  const holder = stackLockHolder(folder.lock);
  if (holder !== null) {
    throw new StackError(`The local stack is running (process ${holder}).`, "Stop it with Ctrl-C, then reset.");
  }
  await waitForGuard(folder.dir);
  const ended = await endLeftovers(folder.dir);
  if (ended.length > 0) write(`Ended what a killed stack had left running: ${ended.join(", ")}\n`);
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
    process.exitCode = showError(error);
  }
}
