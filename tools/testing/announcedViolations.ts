import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** A diagnostic of a linter, or one that a file announces: then `message` is a part of the linter's. */
export type Finding = { file: string; line: number; message: string };

/** What the files of a folder announce line by line: `// violation: part of the message`, several on a line too. */
export async function announcedViolations(folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    for (const [index, text] of (await readFile(path, "utf8")).split("\n").entries()) {
      for (const message of text.split("// violation: ").slice(1)) {
        findings.push({ file: relative(folder, path), line: index + 1, message: message.trim() });
      }
    }
  }
  return findings;
}

/** Whether the linter's finding is the announced one. */
export function fits(announced: Finding, reported: Finding): boolean {
  return (
    announced.file === reported.file && announced.line === reported.line && reported.message.includes(announced.message)
  );
}
