import { readdirSync, readFileSync } from "node:fs";

/** Reads a file of the kernel about a process; empty if the process has ended. */
function readProcessFile(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** Returns the running child processes of a process. */
export function listChildren(pid: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .filter((name) => Number(readProcessFile(name, "stat").split(") ").at(-1)!.split(" ")[1]) === pid)
    .map(Number);
}

/** Whether a process has loaded a native library, by a part of its file's name. */
export const hasLoaded = (pid: number, library: string) => readProcessFile(pid, "maps").includes(library);

/** Returns the resident memory of a process in bytes. */
export const readMemory = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
