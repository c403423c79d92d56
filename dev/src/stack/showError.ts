import pc from "picocolors";
import { StackError } from "./stackError.ts";

/** Prints a failure for a person: a `StackError` as two sentences, anything else whole. @returns the exit code 1 */
export function showError(error: unknown): 1 {
  if (error instanceof StackError) {
    const advice = error.whatToDo === "" ? "" : `${pc.dim("→")} ${error.whatToDo}\n`;
    process.stderr.write(`\n${pc.red("Error:")} ${error.message}\n${advice}`);
  } else {
    process.stderr.write(`\n${pc.red("Error:")} ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return 1;
}
