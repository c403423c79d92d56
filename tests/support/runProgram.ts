import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { programEnvironment } from "./programEnvironment.ts";

/** The exit code is null if a signal ended the program. */
export type ProgramResult = { code: number | null; signal: string | null; stdout: string; stderr: string };

type RunOptions = {
  /** The program's settings; it gets no other variables of this process. */
  env?: Record<string, string>;
  cwd?: string;
  /** The text of the standard input. */
  input?: string;
  onStart?: (child: ChildProcess) => void;
};

/** Runs a program of Node in a separate process until it ends. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, cwd, input = "", onStart }: RunOptions = {},
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { ...programEnvironment, ...env } });
  onStart?.(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.end(input);
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr };
}
