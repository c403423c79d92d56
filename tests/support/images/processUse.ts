import { readdirSync, readFileSync } from "node:fs";

/** Reads the kernel's data of a process; null if it has ended. */
function readStat(pid: number | string): { parent: number; cpuTicks: number; endedTicks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    return {
      parent: Number(fields[1]),
      cpuTicks: Number(fields[11]) + Number(fields[12]),
      endedTicks: Number(fields[13]) + Number(fields[14]),
    };
  } catch {
    return null;
  }
}

/** Returns the CPU time of a process, in kernel ticks. */
export const readCpuTicks = (pid: number) => readStat(pid)?.cpuTicks ?? 0;

/** Returns the CPU time of its children, with those that ended. */
export function readChildTicks(pid: number): number {
  return listChildren(pid).reduce((sum, child) => sum + readCpuTicks(child), readStat(pid)?.endedTicks ?? 0);
}

/** Returns the running child processes of a process. */
export function listChildren(pid: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((name) => readStat(name)?.parent === pid).map(Number);
}

/** Returns the resident memory of a process in bytes. */
export const readMemory = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
