import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { deployCommand } from "@slipway/deploy/cli/deploy";
import { formatError, getExitCode } from "@slipway/deploy/cli/runCommand";
import { getProgram } from "./getProgram.ts";
import { programEnvironment } from "./programEnvironment.ts";

export type CliResult = { code: number | null; signal: string | null; stdout: string; stderr: string };

/** Runs a command of packages/deploy in a separate process, with only `env` as its environment. */
export async function runCli(
  command: "deploy" | "verify",
  args: readonly string[],
  env: Record<string, string> = {},
  onStart: (child: ChildProcess) => void = () => {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [await getProgram(command), ...args], {
    env: { ...programEnvironment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onStart(child);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr };
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
