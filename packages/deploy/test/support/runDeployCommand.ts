import { deployCommand } from "../../src/cli/deployCommand.ts";
import { exitCodeOf, explain } from "../../src/cli/runCommand.ts";

/** Runs `contracts:deploy` in this process: what `runCli` does, without the second that a process takes to start. */
export async function runDeployCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = "";
  try {
    const code = await deployCommand(args, { ...env }, (line) => (stdout += `${line}\n`));
    return { code, stdout, stderr: "" };
  } catch (error) {
    return { code: exitCodeOf(error), stdout, stderr: explain(error) };
  }
}
