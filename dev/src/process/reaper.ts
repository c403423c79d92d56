import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endOrphans } from "./childRecords.ts";
import { processIdentity, waitForExit } from "./processIdentity.ts";

const foldersWithReaper = new Set<string>();

/**
 * Starts, once for each folder, a small process that waits until this process has ended, for any reason, because a
 * process killed by SIGKILL cannot clean up. The reaper then ends the children recorded in the folder, in order, and
 * removes `dev.json`. After a clean stop there is nothing left to end.
 */
export function startReaper(dir: string): void {
  if (foldersWithReaper.has(dir)) return;
  foldersWithReaper.add(dir);
  const reaper = spawn(process.execPath, [fileURLToPath(import.meta.url), dir], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  reaper.on("error", () => foldersWithReaper.delete(dir));
  reaper.on("exit", () => foldersWithReaper.delete(dir));
  if (reaper.pid !== undefined) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "reaper.json"), JSON.stringify({ pid: reaper.pid, identity: processIdentity(reaper.pid) }));
  }
  reaper.stdin?.on("error", () => undefined);
  // The pipe stays open while this process runs; neither the pipe nor the reaper may keep this process running.
  (reaper.stdin as unknown as { unref?: () => void })?.unref?.();
  reaper.unref();
}

/**
 * Waits until the reaper of an earlier, killed stack has finished in this folder, so that it does not end the children
 * of a new stack. Call it only if no running stack can own the folder.
 */
export async function waitForReaper(dir: string): Promise<void> {
  if (foldersWithReaper.has(dir)) return;
  try {
    const { pid, identity } = JSON.parse(readFileSync(join(dir, "reaper.json"), "utf8"));
    if (identity !== null && processIdentity(pid) === identity) await waitForExit(pid, 45_000);
  } catch {
    // No reaper was started in this folder.
  }
}

/** Runs the reaper: its standard input ends when the process that started it ends. */
async function reapOnParentExit(dir: string): Promise<void> {
  for await (const _ of process.stdin);
  const ended = await endOrphans(dir);
  if (ended.length > 0) rmSync(join(dir, "dev.json"), { force: true });
}

if (import.meta.main) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  await reapOnParentExit(process.argv[2] as string);
}
