import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of a second in /proc; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** CPU time (user and system) that a process and all its children, past and present, have used. Linux only. */
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

/** Every process and its parent. */
export function listProcesses(): { pid: number; parent: number }[] {
  return readdirSync("/proc").flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : null;
    return stat === null ? [] : [{ pid: Number(entry), parent: stat.parent }];
  });
}

/** proc(5): what it used itself and what the children it has waited for used. Null when it has ended. */
function readStat(pid: number): { parent: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      parent: Number(fields[1]),
      ticks: fields.slice(11, 15).reduce((total, field) => total + Number(field), 0),
    };
  } catch {
    return null;
  }
}

/** The most memory that a process has held at once, in MB. */
export function peakMemoryMb(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmHWM:\s+(\d+) kB/m);
  return Number(line?.[1] ?? 0) / 1024;
}
