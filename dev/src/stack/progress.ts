import pc from "picocolors";
import { StackError } from "./stackError.ts";

/** Where a stack reports what it does. Lines are complete, so that a terminal and a CI log show the same. */
export type Progress = {
  /** Runs a step; prints its title when it begins and, with its duration and the result's note, when it ends. */
  step: <T>(title: string, work: () => Promise<T>, note?: (result: T) => string) => Promise<T>;
  /** A fact for the user that is no failure. */
  note: (text: string) => void;
};

/** Prints to standard output, or to `write`. */
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

/** Reports nothing: for stacks that tests start. */
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
