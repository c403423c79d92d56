import pc from "picocolors";

/** Where a stack reports what it does. Lines are complete, so that a terminal and a CI log show the same. */
export type Progress = {
  /** Runs a step; prints when it begins and, with its seconds and the note it returned, when it is done. */
  step: <T>(title: string, work: () => Promise<T>, note?: (result: T) => string) => Promise<T>;
  /** Something worth knowing that is no failure. */
  note: (text: string) => void;
};

/** Reports to a stream, standard output by default. */
export function printedProgress(write: (text: string) => void = (text) => process.stdout.write(text)): Progress {
  return {
    step: async (title, work, note) => {
      const startedAt = performance.now();
      write(`${pc.dim("…")} ${title}\n`);
      try {
        const result = await work();
        const said = note?.(result) ?? "";
        write(`${pc.green("✓")} ${title}${said ? `: ${said}` : ""} ${pc.dim(secondsSince(startedAt))}\n`);
        return result;
      } catch (error) {
        write(`${pc.red("✗")} ${title} ${pc.dim(secondsSince(startedAt))}\n`);
        throw error;
      }
    },
    note: (text) => write(`${pc.yellow("!")} ${text}\n`),
  };
}

/** Reports nothing: for stacks that tests start. */
export const silentProgress: Progress = { step: (_, work) => work(), note: () => undefined };

function secondsSince(startedAt: number): string {
  return `(${((performance.now() - startedAt) / 1000).toFixed(1)} s)`;
}
