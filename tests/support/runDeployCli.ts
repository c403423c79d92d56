import type { ChildProcess } from "node:child_process";
import { deployCommand } from "@slipway/deploy/cli/deploy";
import { formatError, getExitCode } from "@slipway/deploy/cli/runCommand";
import { getProgram } from "./getProgram.ts";
import { type ProgramResult, runProgram } from "./runProgram.ts";

/** Runs a command of packages/deploy in a separate process, with only `env` as its environment. */
export async function runCli(
  command: "deploy" | "verify",
  args: readonly string[],
  env: Record<string, string> = {},
  onStart?: (child: ChildProcess) => void,
): Promise<ProgramResult> {
  return await runProgram(await getProgram(command), args, { env, onStart });
}

/** Runs `contracts:deploy` in this process, like `runCli` but without the second that a process takes to start. */
export async function runDeployCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = "";
  try {
    const code = await deployCommand(args, { ...env }, (line) => (stdout += `${line}\n`));
    return { code, stdout, stderr: "" };
  } catch (error) {
    return { code: getExitCode(error), stdout, stderr: formatError(error) };
  }
}
