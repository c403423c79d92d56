import { execFile } from "node:child_process";
import { programEnvironment } from "./programEnvironment.ts";

export type ProgramResult = { code: number; stdout: string; stderr: string };

/** Runs a program of Node to its end, with only `env` as its settings. */
export function runProgram(
  program: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { env: { ...programEnvironment, ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
