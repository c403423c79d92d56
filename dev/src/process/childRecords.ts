import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity, waitForExit } from "./processIdentity.ts";

/** A process that a stack started, as recorded in `children.json` of its folder. */
export type ChildRecord = {
  name: string;
  pid: number;
  /** The result of `processIdentity`, because the pid may belong to another process later. */
  identity: string;
  /** The signal that ends the process cleanly. */
  endSignal: "SIGINT" | "SIGTERM";
  /** Children end in ascending order: the server first, the database last. */
  endOrder: number;
};

const endTimeoutMs = 15_000;

function getRecordPath(dir: string): string {
  return join(dir, "children.json");
}

/** The processes recorded in the folder, running or not. */
export function readChildren(dir: string): ChildRecord[] {
  try {
    return JSON.parse(readFileSync(getRecordPath(dir), "utf8")) as ChildRecord[];
  } catch {
    return [];
  }
}

function writeChildren(dir: string, children: ChildRecord[]): void {
  mkdirSync(dir, { recursive: true });
  const partial = `${getRecordPath(dir)}.partial`;
  writeFileSync(partial, JSON.stringify(children));
  renameSync(partial, getRecordPath(dir));
}

/** Records a child synchronously, right after its start, so that the child can be found after a crash at any moment. */
export function recordChild(dir: string, child: Omit<ChildRecord, "identity">): void {
  const identity = processIdentity(child.pid);
  if (identity !== null) writeChildren(dir, [...readChildren(dir), { ...child, identity }]);
}

/** Removes the record of a child that has ended. */
export function removeChild(dir: string, pid: number): void {
  const others = readChildren(dir).filter((child) => child.pid !== pid);
  writeChildren(dir, others);
}

/**
 * Ends every recorded process that still runs, in order and cleanly (the chain saves its state, the database shuts
 * down). Kills a process that still runs after `timeoutMs`.
 *
 * @returns the names of the processes that were running
 */
export async function endOrphans(dir: string, timeoutMs = endTimeoutMs): Promise<string[]> {
  const running = readRunningChildren(dir).sort((a, b) => a.endOrder - b.endOrder);
  for (const child of running) await endProcess(child.pid, child.endSignal, timeoutMs);
  rmSync(getRecordPath(dir), { force: true });
  return running.map((child) => child.name);
}

/** Ends the recorded process with a name cleanly, if it still runs. @returns false when none ran */
export async function endOrphan(dir: string, name: string, timeoutMs = endTimeoutMs): Promise<boolean> {
  const child = readRunningChildren(dir).find((record) => record.name === name);
  if (child === undefined) return false;
  await endProcess(child.pid, child.endSignal, timeoutMs);
  removeChild(dir, child.pid);
  return true;
}

function readRunningChildren(dir: string): ChildRecord[] {
  return readChildren(dir).filter((child) => processIdentity(child.pid) === child.identity);
}

/** Sends the signal, waits for the exit, and kills the process after `timeoutMs`. */
export async function endProcess(pid: number, signal: NodeJS.Signals, timeoutMs = endTimeoutMs): Promise<void> {
  sendSignal(pid, signal);
  if (await waitForExit(pid, timeoutMs)) return;
  sendSignal(pid, "SIGKILL");
  await waitForExit(pid, 5_000);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
