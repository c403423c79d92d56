import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The maximum time that a process waits for another one that prepares the same folder. */
const preparationTimeoutMs = 300_000;

/**
 * Prepares a folder once for all processes of `npm test`, in the folder TEST_PREPARED, or of a run of Vitest, in its
 * temporary folder. The first process prepares it; the other processes wait.
 *
 * @param done - The file that `prepare` writes last.
 * @returns the folder
 */
export async function prepareOnce(
  name: string,
  done: string,
  prepare: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(process.env.TEST_PREPARED ?? tmpdir(), name);
  const deadline = Date.now() + preparationTimeoutMs;
  while (!existsSync(join(folder, done))) {
    if (takeFolder(folder)) {
      await prepare(folder).catch((error: unknown) => {
        rmSync(folder, { recursive: true, force: true });
        throw error;
      });
      break;
    }
    if (Date.now() > deadline) throw new Error(`no other process has finished ${folder}`);
    await sleep(50);
  }
  return folder;
}

/** Returns true for the process that creates the folder; it prepares the folder. */
function takeFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
