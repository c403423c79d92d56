import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endOrphans } from "./childRecords.ts";
import { processIdentity, waitForExit } from "./processIdentity.ts";

const watchedFolders = new Set<string>();
let reaper: ChildProcess | null = null;

/**
 * Starts, once for this process, a small process that waits until this process has ended, for any reason, because a
 * process killed by SIGKILL cannot clean up. The reaper then ends the recorded children of each watched folder, in order,
 * and removes `dev.json`. After a clean stop there is nothing left to end.
 */
export function startReaper(dir: string): void {
  if (reaper !== null && watchedFolders.has(dir)) return;
  watchedFolders.add(dir);
  mkdirSync(dir, { recursive: true });
  // A new reaper takes over the folders of a reaper that has ended.
  const folders = reaper === null ? [...watchedFolders] : [dir];
  reaper ??= spawnReaper();
  const { pid, stdin } = reaper;
  if (pid === undefined) return;
  const record = JSON.stringify({ pid, identity: processIdentity(pid) });
  for (const folder of folders.filter((each) => existsSync(each))) {
    stdin?.write(`${JSON.stringify(folder)}\n`);
    writeFileSync(join(folder, "reaper.json"), record);
  }
}

function spawnReaper(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const forget = () => {
    if (reaper === child) reaper = null;
  };
  child.on("error", forget);
  child.on("exit", forget);
  child.stdin?.on("error", () => undefined);
  // The pipe stays open while this process runs; neither the pipe nor the reaper may keep this process running.
  (child.stdin as unknown as { unref?: () => void })?.unref?.();
  child.unref();
  return child;
}

/**
 * Waits until the reaper of an earlier, killed stack has finished in this folder, so that it does not end the children
 * of a new stack. Call it only if no running stack can own the folder.
 */
export async function waitForReaper(dir: string): Promise<void> {
  if (watchedFolders.has(dir)) return;
  try {
    const { pid, identity } = JSON.parse(readFileSync(join(dir, "reaper.json"), "utf8"));
    if (identity !== null && processIdentity(pid) === identity) await waitForExit(pid, 45_000);
  } catch {
    // No reaper was started in this folder.
  }
}

/** Runs the reaper: its standard input ends when the process that started it ends. */
async function reapOnParentExit(): Promise<void> {
  const folders: string[] = [];
  for await (const line of createInterface({ input: process.stdin })) folders.push(JSON.parse(line) as string);
  await Promise.all(
    folders.map(async (dir) => {
      const ended = await endOrphans(dir);
      if (ended.length > 0) rmSync(join(dir, "dev.json"), { force: true });
    }),
  );
}

if (import.meta.main) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  await reapOnParentExit();
}
