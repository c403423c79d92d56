import { readdirSync, readFileSync } from "node:fs";
import { percentile } from "../../percentile.ts";
import type { Program } from "./program.ts";

type Sample = { rssMb: number; handles: number };
/** The samples of one process, from its start to its end. */
type Series = { name: string; samples: Sample[] };

const sampleMs = 5_000;
/** The first samples of a process, in which it grows because it starts. */
const warmUpSamples = 12;
/** A process with fewer samples after them was ended by a fault too early to compare. */
const minSamples = 24;
const maxGrowth = 1.3;
const minGrowthMb = 100;
const maxMoreHandles = 50;

/** Samples memory and open handles of the programs, until `stop`. */
export function sampleProcesses(programs: readonly Program[]) {
  const series = new Map<number, Series>();
  const sample = () => {
    for (const program of programs) {
      const pid = program.pid();
      if (pid === null) continue;
      const one = series.get(pid) ?? { name: program.name, samples: [] };
      series.set(pid, one);
      try {
        const rssKb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        one.samples.push({ rssMb: Number(rssKb) / 1_024, handles: readdirSync(`/proc/${pid}/fd`).length });
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = setInterval(sample, sampleMs);

  return {
    /** Compares the first and the last third of each process. @returns lines to print, and what has grown. */
    stop: (): { lines: string[]; problems: string[] } => {
      clearInterval(timer);
      const lines: string[] = [];
      const problems: string[] = [];
      for (const { name, samples } of series.values()) {
        const settled = samples.slice(warmUpSamples);
        if (settled.length < minSamples) continue;
        const third = Math.floor(settled.length / 3);
        const [first, last] = [settled.slice(0, third), settled.slice(-third)];
        const median = (part: Sample[], key: keyof Sample) =>
          percentile(
            part.map((one) => one[key]),
            0.5,
          );
        const memory = { first: median(first, "rssMb"), last: median(last, "rssMb") };
        const handles = { first: median(first, "handles"), last: median(last, "handles") };
        const minutes = (samples.length * sampleMs) / 60_000;
        lines.push(
          `${name.padEnd(10)}${minutes.toFixed(0).padStart(4)} min  ${memory.first.toFixed(0)} -> ${memory.last.toFixed(0)} MB, ` +
            `${handles.first} -> ${handles.last} handles`,
        );
        const growsMemory = memory.last > memory.first * maxGrowth && memory.last - memory.first > minGrowthMb;
        if (growsMemory) problems.push(`${name} grew from ${memory.first.toFixed(0)} to ${memory.last.toFixed(0)} MB`);
        if (handles.last - handles.first > maxMoreHandles) {
          problems.push(`${name} opened handles: ${handles.first} -> ${handles.last}`);
        }
      }
      return { lines, problems };
    },
  };
}
