import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in /proc; 100 on every Linux that Node supports. */
const ticksPerSecond = 100;

/** Returns the CPU time (user and system) of a process and all its current and past children. Linux only. */
export function getCpuSeconds(pid: number): number {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : null;
    if (!stat) continue;
    ticks.set(Number(entry), stat.ticks);
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(entry)]);
  }
  const sum = (process: number): number =>
    (children.get(process) ?? []).reduce((total, child) => total + sum(child), ticks.get(process) ?? 0);
  return sum(pid) / ticksPerSecond;
}

/** Returns every process with its parent. */
export function listProcesses(): { pid: number; parent: number }[] {
  return readdirSync("/proc").flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : null;
    return stat === null ? [] : [{ pid: Number(entry), parent: stat.parent }];
  });
}

/** Returns the CPU time of a process and of the children it has waited for (proc(5)). Null if the process has ended. */
function readStat(pid: number): { parent: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may contain spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      parent: Number(fields[1]),
      ticks: fields.slice(11, 15).reduce((total, field) => total + Number(field), 0),
    };
  } catch {
    return null;
  }
}

/** Returns the peak memory of a process, in MB. */
export function peakMemoryMb(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmHWM:\s+(\d+) kB/m);
  return Number(line?.[1] ?? 0) / 1024;
}
