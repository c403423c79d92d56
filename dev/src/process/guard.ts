import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endLeftovers } from "./childRecords.ts";
import { processIdentity, waitForExit } from "./processIdentity.ts";

const watched = new Set<string>();

/**
 * Starts, once for each folder, a small process that waits for this one to end, however it ends: kill -9 leaves no
 * chance to clean up. It then ends the children noted in the folder, in order, and removes `dev.json`. Nothing is
 * left to do for it after a clean stop.
 */
export function watchOver(dir: string): void {
  if (watched.has(dir)) return;
  watched.add(dir);
  const guard = spawn(process.execPath, [fileURLToPath(import.meta.url), dir], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => watched.delete(dir));
  guard.on("exit", () => watched.delete(dir));
  if (guard.pid !== undefined) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "guard.json"), JSON.stringify({ pid: guard.pid, identity: processIdentity(guard.pid) }));
  }
  guard.stdin?.on("error", () => undefined);
  // The pipe's other end stays open as long as this process lives; neither may keep it alive.
  (guard.stdin as unknown as { unref?: () => void })?.unref?.();
  guard.unref();
}

/**
 * Waits for the guard of an earlier, killed stack to finish its work in this folder, so that the two do not end each
 * other's children. Call it only where no living stack can own the folder.
 */
export async function waitForGuard(dir: string): Promise<void> {
  if (watched.has(dir)) return;
  try {
    const { pid, identity } = JSON.parse(readFileSync(join(dir, "guard.json"), "utf8"));
    if (identity !== null && processIdentity(pid) === identity) await waitForExit(pid, 45_000);
  } catch {
    // No guard was ever here.
  }
}

/** The guard's own life: the end of standard input is the end of the process it watches over. */
async function guardFolder(dir: string): Promise<void> {
  for await (const _ of process.stdin);
  const ended = await endLeftovers(dir);
  if (ended.length > 0) rmSync(join(dir, "dev.json"), { force: true });
}

if (import.meta.main) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  await guardFolder(process.argv[2] as string);
}
