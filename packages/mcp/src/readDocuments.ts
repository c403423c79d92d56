import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A page of the documentation. */
export type Document = {
  /** The name of the file without `.md`. */
  name: string;
  /** The first heading. */
  title: string;
  /** The first paragraph, as one line. */
  summary: string;
  /** The Markdown of the file. */
  text: string;
};

/** A published package has the pages in itself; the checkout has them at its root. */
const folders = [join(import.meta.dirname, "../docs"), join(import.meta.dirname, "../../../docs")];

/** Returns the folder of the documentation. @throws Error if there is none */
function findFolder(): string {
  const folder = folders.find((each) => existsSync(join(each, "api.md")));
  if (folder === undefined) throw new Error(`there is no documentation in ${folders.join(" or ")}`);
  return folder;
}

/** Reads the pages of the documentation, in the order of their names. */
export function readDocuments(folder: string = findFolder()): Document[] {
  const files = globSync("*.md", { cwd: folder }).sort();
  return files.map((file) => parseDocument(file.slice(0, -".md".length), readFileSync(join(folder, file), "utf8")));
}

/** Reads SKILL.md, which tells an agent how to use the service. */
export const readSkill = (): string => readFileSync(join(import.meta.dirname, "../SKILL.md"), "utf8");

/** Parses the title and the summary of a page. */
export function parseDocument(name: string, text: string): Document {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
  const paragraphs = text.split(/\n{2,}/).filter((part) => /^[\p{Lu}`[]/u.test(part));
  const summary = (paragraphs[0] ?? title)
    .replace(/\s+/g, " ")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .trim();
  return { name, title, summary, text };
}
