import { Writable } from "node:stream";
import { createInterface } from "node:readline/promises";

/** Asks for a line on the terminal without showing what is typed. Undefined when there is no terminal. */
export async function promptHidden(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
