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
};

/**
 * Runs `npm start`'s program (or another one of dev/src) in a separate process; the environment sets its state folder
 * and port.
 */
export function runDevProgram(
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
  onTestFinished(async () => {
    if (ended) return;
    child.kill("SIGTERM");
    await exited;
  });
  return {
    child,
    pid: child.pid as number,
    output: () => output,
    exited,
    waitForOutput: async (text) => {
      while (!output.includes(text)) {
        if (ended) throw new Error(`it ended without the output ${JSON.stringify(text)}:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
