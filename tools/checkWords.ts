import { sourceFiles } from "./sourceFiles.ts";

type File = { path: string; text: string };

const glossaryPath = "docs/glossary.md";
const roots =
  /^(apps\/(server|web)\/src|packages\/\w+\/(src|test)|dev|tests|tools|bench|contracts\/(src|test|tools)|docs)\//;
const generated = /^packages\/protocol\/src\/contracts\//;
const isChecked = (path: string) =>
  (roots.test(path) || /^[^/]+\.md$|^contracts\/[^/]+\.md$/.test(path)) &&
  /\.(tsx?|css|mjs|sol|md|tree|grit)$/.test(path) &&
  !generated.test(path) &&
  path !== glossaryPath &&
  path !== "CHANGELOG.md";

/** The rows of the glossary's table of retired words, `| \`regular expression\` | use instead |`. */
function parseRetiredWords(glossary: string): { pattern: RegExp; instead: string }[] {
  const section = /^#+ Retired words\n([\s\S]*?)(?=^#|$(?![\s\S]))/m.exec(glossary)?.[1] ?? "";
  const rows = [...section.matchAll(/^\| *`(.+?)` *\| *(.*?) *\|$/gm)];
  return rows.map(([, source, instead]) => ({
    pattern: new RegExp(source!.replaceAll("\\|", "|"), "g"),
    instead: instead!,
  }));
}

/**
 * Where files use a retired word, in names, comments or texts: `path:line: word -> use instead`. Upper and lower case
 * differ.
 *
 * @throws when the glossary has no such table
 */
export function findRetiredWords(files: readonly File[], glossary: string): string[] {
  const retired = parseRetiredWords(glossary);
  if (retired.length === 0) throw new Error(`${glossaryPath} has no table of retired words`);
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) =>
      retired.flatMap(({ pattern, instead }) => {
        return [...line.matchAll(pattern)].map(([word]) => `${path}:${index + 1}: ${word} -> ${instead}`);
      }),
    ),
  );
}

/** `node tools/checkWords.ts`: refuses the retired words of docs/glossary.md. */
function main(): number {
  const [glossary] = sourceFiles((path) => path === glossaryPath);
  const files = sourceFiles(isChecked);
  const found = findRetiredWords(files, glossary?.text ?? "");
  for (const each of found) process.stderr.write(`${each}\n`);
  process.stdout.write(`${found.length} retired words in ${files.length} files\n`);
  return found.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
