import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "./sourceFiles.ts";

/** The result of a command. `output` is empty if it was passed on. */
export type CommandResult = { output: string; exitCode: number; seconds: number };

/**
 * Runs a command of words without spaces, with the programs of the dependencies first in PATH.
 *
 * @param environment - Additional variables. With them, the output is passed on immediately; otherwise it is collected.
 */
export async function runCommand(command: string, environment?: Record<string, string>): Promise<CommandResult> {
  const startedAt = performance.now();
  const PATH = [join(repositoryRoot, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", PATH, ...environment };
  const [program, ...args] = command.split(" ");
  const child = spawn(program!, args, { cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      if (environment) process.stdout.write(chunk);
      else output += chunk.toString();
    });
  }
  const exitCode = await new Promise<number>((resolve) => {
    child.on("error", () => resolve(127)).on("close", (code) => resolve(code ?? 128));
  });
  return { output, exitCode, seconds: (performance.now() - startedAt) / 1_000 };
}
