import { basename } from "node:path";
import { sourceFiles } from "./sourceFiles.ts";

type File = { path: string; text: string };
export type Threat = { id: string; files: string[]; reason: string | null };

const threatsPath = "docs/threats.md";
const idPattern = /\bC(?:[2-9]|1[0-2])-\d\d\b/g;
/** In Solidity, the id is part of a function name: `test_C8_04_NoCallerMovesThePosition`. */
const solidityIdPattern = /(?<=function \w+_)C\d_\d\d(?=_)/g;

/**
 * Parses the rows of docs/threats.md: `| C4-01 | sentence | \`file\`, \`file\` |`, or a reason in place of the files.
 */
export function parseThreats(document: string): Threat[] {
  const rows = [...document.matchAll(/^\| *(C\d+-\d\d) *\|.*\| *(.*?) *\|$/gm)];
  return rows.map(([, id, cell]) => {
    const isFiles = /^`[\w.]+`(, `[\w.]+`)*$/.test(cell!);
    return { id: id!, files: isFiles ? cell!.replaceAll("`", "").split(", ") : [], reason: isFiles ? null : cell! };
  });
}

/** Returns the names of the test files that contain each id. */
function findIds(files: readonly File[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const isSolidity = path.endsWith(".sol");
    const code = isSolidity ? text : text.replace(/^\s*(\/\/|\/?\*).*$/gm, "");
    for (const [id] of code.matchAll(isSolidity ? solidityIdPattern : idPattern)) {
      const name = id.replace("_", "-");
      found.set(name, (found.get(name) ?? new Set()).add(basename(path)));
    }
  }
  return found;
}

/** Returns the differences between the document and the tests: each id needs its tests, or a reason without tests. */
export function findThreatProblems(document: string, files: readonly File[]): string[] {
  const threats = parseThreats(document);
  const found = findIds(files);
  if (threats.length === 0) return [`${threatsPath} has no ids`];
  const unknown = [...found.keys()].filter((id) => !threats.some((threat) => threat.id === id));
  return [
    ...unknown.map((id) => `${id} is not in ${threatsPath}`),
    ...threats.flatMap(({ id, files: listed, reason }) => {
      const actual = [...(found.get(id) ?? [])].sort();
      if (reason === "") return [`${id} has neither a test nor a reason`];
      if (reason !== null && actual.length > 0) return [`${id} has a reason and tests: ${actual.join(", ")}`];
      if (reason !== null || listed.join() === actual.join()) return [];
      return [
        `${id} is listed with ${listed.join(", ")}; its tests are ${actual.map((name) => `\`${name}\``).join(", ")}`,
      ];
    }),
  ];
}

/**
 * Returns one line for each id, and the ids without a passed test or a reason. forge's names have `_` instead of `-`.
 */
export function toThreatTable(threats: readonly Threat[], tests: readonly { name: string; passed: boolean }[]) {
  const problems: string[] = [];
  const lines = threats.map(({ id, reason }) => {
    const carrying = tests.filter(({ name }) =>
      name.replace(/\bC(\d)_(\d\d)_|_C(\d)_(\d\d)_/g, " C$1$3-$2$4 ").includes(id),
    );
    const failed = carrying.filter(({ passed }) => !passed).length;
    if (carrying.length === 0 && reason === null) problems.push(`${id} has no test in this run`);
    if (failed > 0) return `${id}  FAILED ${failed} of ${carrying.length}`;
    return `${id}  ${carrying.length > 0 ? `passed ${carrying.length}` : (reason ?? "-")}`;
  });
  return { table: lines.join("\n"), problems };
}

const readDocument = () => sourceFiles((path) => path === threatsPath)[0]?.text ?? "";
/** Reads the rows of docs/threats.md. */
export const readThreats = () => parseThreats(readDocument());

/** `node tools/checkThreats.ts`: compares docs/threats.md with the ids in the tests. */
function main(): number {
  const files = sourceFiles((path) => /\.test\.tsx?$/.test(path) || /^contracts\/test\/.*\.sol$/.test(path));
  const problems = findThreatProblems(
    readDocument(),
    files.filter(({ path }) => !path.startsWith("tools/")),
  );
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write("every attack id has its tests or a reason\n");
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
