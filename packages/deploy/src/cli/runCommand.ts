import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseError } from "viem";
import { DeployError } from "../deployError.ts";

/** The exit code of an unexpected error: a defect of this program or of the node (sysexits.h EX_SOFTWARE). */
const unexpectedExitCode = 70;

/** Runs a command and sets the exit code: the returned code, or the code of the thrown error. */
export async function runCommand(body: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await body();
  } catch (error) {
    process.exitCode = getExitCode(error);
    console.error(formatError(error));
  }
}

/** Returns the exit code of a command that ends with an error. */
export function getExitCode(error: unknown): number {
  return error instanceof DeployError ? error.exitCode : unexpectedExitCode;
}

/** Formats the error that ends a command. */
export function formatError(error: unknown): string {
  if (error instanceof DeployError) return `${error.code}: ${error.message}\n${error.help}`;
  // viem's full message contains the endpoint's URL, which may contain a key.
  if (error instanceof BaseError) return `unexpected error: ${error.shortMessage} ${error.details}`;
  return error instanceof Error
    ? `unexpected error: ${error.stack ?? error.message}`
    : `unexpected error: ${String(error)}`;
}

/** The path of a chain's manifest in this repository, relative to the working directory. */
export function getDefaultManifestPath(chainId: number): string {
  const url = new URL(`../../../../contracts/deployments/${chainId}.json`, import.meta.url);
  return relative(process.cwd(), fileURLToPath(url));
}
