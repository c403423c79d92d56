import pc from "picocolors";
import { StackError } from "./stackError.ts";

/** Reports the steps of a stack. Lines are complete, so that a terminal and a CI log show the same. */
export type Progress = {
  /** Runs a step; prints its title at the start, and at the end with its duration and the result's note. */
  step: <T>(title: string, work: () => Promise<T>, note?: (result: T) => string) => Promise<T>;
  /** Prints information for the user that is not a failure. */
  note: (text: string) => void;
};

/** Creates a progress that prints to standard output, or to `write`. */
export function createProgressPrinter(
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Progress {
  return {
    step: async (title, work, note) => {
      const startedAt = performance.now();
      const duration = () => pc.dim(`(${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
      write(`${pc.dim("…")} ${title}\n`);
      try {
        const result = await work();
        const text = note?.(result) ?? "";
        write(`${pc.green("✓")} ${title}${text ? `: ${text}` : ""} ${duration()}\n`);
        return result;
      } catch (error) {
        write(`${pc.red("✗")} ${title} ${duration()}\n`);
        throw error;
      }
    },
    note: (text) => write(`${pc.yellow("!")} ${text}\n`),
  };
}

/** Reports nothing: for stacks in tests. */
export const silentProgress: Progress = { step: (_, work) => work(), note: () => undefined };

/** Prints a failure: a `StackError` as message and advice, any other error with its stack. @returns the exit code 1 */
export function printError(error: unknown): 1 {
  if (error instanceof StackError) {
    const advice = error.whatToDo === "" ? "" : `${pc.dim("→")} ${error.whatToDo}\n`;
    process.stderr.write(`\n${pc.red("Error:")} ${error.message}\n${advice}`);
  } else {
    process.stderr.write(`\n${pc.red("Error:")} ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return 1;
}
