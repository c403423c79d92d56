import { BaseError } from "viem";
import { DeployError } from "../deployError.ts";

/** Whatever is not foreseen: a fault of this program or of the node (sysexits.h EX_SOFTWARE). */
const unforeseen = 70;

/** Runs a command's body and turns its end into an exit code: what it returns, or that of the error it throws. */
export async function runCommand(body: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await body();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    console.error(explain(error));
  }
}

/** The exit code of a command that ends with an error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof DeployError ? error.exitCode : unforeseen;
}

/** What a command prints of the error it ends with. */
export function explain(error: unknown): string {
  if (error instanceof DeployError) return `${error.code}: ${error.message}\n${error.help}`;
  // What viem adds to its messages holds the endpoint's URL, and that may hold a key.
  if (error instanceof BaseError) return `unforeseen: ${error.shortMessage} ${error.details}`;
  return error instanceof Error ? `unforeseen: ${error.stack ?? error.message}` : `unforeseen: ${String(error)}`;
}
