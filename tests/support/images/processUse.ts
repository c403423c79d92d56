import { readdirSync, readFileSync } from "node:fs";

/** What the kernel reports of a process; null when it has ended. */
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

/** CPU time that a process has used, in ticks of the kernel. */
export const readCpuTicks = (pid: number) => readStat(pid)?.cpuTicks ?? 0;

/** CPU time that its children have used, those that ended included. */
export function readChildTicks(pid: number): number {
  return listChildren(pid).reduce((sum, child) => sum + readCpuTicks(child), readStat(pid)?.endedTicks ?? 0);
}

/** The processes that a process has started and that still run. */
export function listChildren(pid: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((name) => readStat(name)?.parent === pid).map(Number);
}

/** Resident memory of a process in bytes. */
export const readMemory = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
