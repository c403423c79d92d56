import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity, waitForExit } from "./processIdentity.ts";

/** A process that a stack started, as noted in `children.json` of its folder. */
export type ChildRecord = {
  name: string;
  pid: number;
  /** From `processIdentity`: guards against another process that got the same pid. */
  identity: string;
  /** The signal that makes it finish cleanly. */
  endSignal: "SIGINT" | "SIGTERM";
  /** Children end from the lowest to the highest: the server first, the database last. */
  endOrder: number;
};

const graceMs = 15_000;

function recordPath(dir: string): string {
  return join(dir, "children.json");
}

/** The processes noted in the folder, running or not. */
export function readChildren(dir: string): ChildRecord[] {
  try {
    return JSON.parse(readFileSync(recordPath(dir), "utf8")) as ChildRecord[];
  } catch {
    return [];
  }
}

function writeChildren(dir: string, children: ChildRecord[]): void {
  mkdirSync(dir, { recursive: true });
  const partial = `${recordPath(dir)}.partial`;
  writeFileSync(partial, JSON.stringify(children));
  renameSync(partial, recordPath(dir));
}

/** Notes a child, synchronously and right after its start, so that a crash at any moment leaves it findable. */
export function recordChild(dir: string, child: Omit<ChildRecord, "identity">): void {
  const identity = processIdentity(child.pid);
  if (identity !== null) writeChildren(dir, [...readChildren(dir), { ...child, identity }]);
}

/** Forgets a child that has ended. */
export function forgetChild(dir: string, pid: number): void {
  writeChildren(
    dir,
    readChildren(dir).filter((child) => child.pid !== pid),
  );
}

/**
 * Ends every noted process that still runs, in order and cleanly (the chain saves its state, the database shuts
 * down), the stubborn ones by SIGKILL after `timeoutMs`.
 *
 * @returns the names of those that were running.
 */
export async function endLeftovers(dir: string, timeoutMs = graceMs): Promise<string[]> {
  const running = readChildren(dir)
    .filter((child) => processIdentity(child.pid) === child.identity)
    .sort((a, b) => a.endOrder - b.endOrder);
  for (const child of running) await endProcess(child.pid, child.endSignal, timeoutMs);
  rmSync(recordPath(dir), { force: true });
  return running.map((child) => child.name);
}

/** Sends the signal, waits, and kills what has not ended after `timeoutMs`. */
export async function endProcess(pid: number, signal: NodeJS.Signals, timeoutMs = graceMs): Promise<void> {
  sendSignal(pid, signal);
  if (await waitForExit(pid, timeoutMs)) return;
  sendSignal(pid, "SIGKILL");
  await waitForExit(pid, 5_000);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}
