import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export type RunningProgram = {
  child: ChildProcess;
  pid: number;
  /** The output so far, of both streams. */
  output: () => string;
  /** Waits until the output contains the text. @throws with the whole output if the program ends first */
  waitForOutput: (text: string) => Promise<void>;
  /** The exit code, once the program has ended. */
  exited: Promise<number | null>;
  /** Ends the program, if it runs. */
  end: () => Promise<void>;
};

/** Runs a program like `startDevProgram`, and ends it at the end of the test. */
export function runDevProgram(...parameters: Parameters<typeof startDevProgram>): RunningProgram {
  const program = startDevProgram(...parameters);
  onTestFinished(program.end);
  return program;
}

/**
 * Starts `npm start`'s program (or another one of dev/src) in a separate process; the environment sets its state folder
 * and port. The caller ends it.
 */
export function startDevProgram(
  name: "main" | "reset" | "demo",
  environment: Record<string, string>,
  args: string[] = [],
): RunningProgram {
  const path = fileURLToPath(new URL(`../../dev/src/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  let ended = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      ended = true;
      resolve(code);
    });
  });
  return {
    child,
    pid: child.pid as number,
    output: () => output,
    exited,
    end: async () => {
      if (ended) return;
      child.kill("SIGTERM");
      await exited;
    },
    waitForOutput: async (text) => {
      while (!output.includes(text)) {
        if (ended) throw new Error(`it ended without the output ${JSON.stringify(text)}:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
