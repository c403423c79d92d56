// Fails if a `.tree` file and the tests beside it differ, if a function of a contract has no tree, or if the lists of
// invariants in contracts/README.md, in the campaigns and in invariantMutants.ts differ.
//
// The first line of a tree lists the functions it covers: `Contract::function, function`. Each branch ("when ...",
// "given ...") with an "it ..." line is one test. Its name is `test_` and the words of the branch in PascalCase, with the
// branches of a path joined by `_`. `testFuzz_` is equivalent to `test_`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { invariantMutants } from "./invariantMutants.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const testFolder = join(root, "contracts", "test");
const contracts = [
  ...["LaunchFactory", "LaunchToken", "FeeLocker", "SplitterFactory", "FeeSplitter", "GasStation"],
  ...["VestingFactory", "Vesting", "OpeningFactory", "Opening"],
];

interface AbiEntry {
  type: string;
  name?: string;
}

const problems: string[] = [];
let branches = 0;
for (const contract of contracts) checkContract(contract);
checkInvariants();
for (const problem of problems) console.error(problem);
console.log(`${branches} branches in trees, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkContract(contract: string): void {
  const folder = join(testFolder, contract);
  const files = readdirSync(folder);
  const covered = new Set<string>();
  for (const file of files.filter((name) => name.endsWith(".tree"))) checkTree(contract, join(folder, file), covered);
  for (const file of files.filter((name) => name.endsWith(".t.sol"))) {
    const tree = join(folder, file.replace(".t.sol", ".tree"));
    if (!existsSync(tree)) problems.push(`${relative(root, tree)}: missing`);
  }
  for (const name of listFunctions(contract)) {
    if (!covered.has(name)) problems.push(`${contract}::${name} has no tree`);
  }
}

function checkTree(contract: string, path: string, covered: Set<string>): void {
  const [title = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const [owner, functions = ""] = title.split("::");
  if (owner !== contract) problems.push(`${relative(root, path)}: the title names ${owner}`);
  for (const name of functions.split(",")) covered.add(name.trim());

  const expected = parseTests(lines);
  branches += expected.size;
  const testPath = path.replace(/\.tree$/, ".t.sol");
  const source = existsSync(testPath) ? readFileSync(testPath, "utf8") : "";
  const actual = new Set(
    [...source.matchAll(/function (test\w+)\(/g)].map(([, name = ""]) => name.replace("testFuzz_", "test_")),
  );
  for (const name of expected) if (!actual.has(name)) problems.push(`${relative(root, path)}: no test ${name}`);
  for (const name of actual)
    if (!expected.has(name)) problems.push(`${relative(root, testPath)}: no tree contains ${name}`);
}

function parseTests(lines: string[]): Set<string> {
  const tests = new Set<string>();
  const path: string[] = [];
  for (const line of lines) {
    const text = line.replace(/^[│├└─\s]+/, "");
    const depth = Math.floor((line.length - text.length) / 4) - 1;
    if (text.startsWith("it ")) {
      if (path.length === 0) problems.push(`"${text}" is outside of any branch`);
      tests.add(`test_${path.slice(0, depth).join("_")}`);
    } else {
      path.length = depth;
      path.push(pascalCase(text));
    }
  }
  return tests;
}

function pascalCase(text: string): string {
  return text
    .replaceAll("'", "")
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function checkInvariants(): void {
  const folder = join(testFolder, "invariant");
  const readIds = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, id = ""]) => id));
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const places: Record<string, Set<string>> = {
    "contracts/README.md": readIds(readFileSync(join(root, "contracts", "README.md"), "utf8"), /^- (I\d\d) /gm),
    "contracts/test/invariant": readIds(sources.join(), /"(I\d\d) /g),
    "contracts/tools/invariantMutants.ts": new Set(Object.keys(invariantMutants)),
  };
  const all = new Set(Object.values(places).flatMap((ids) => [...ids]));
  for (const [place, ids] of Object.entries(places)) {
    for (const id of all) if (!ids.has(id)) problems.push(`${place}: no ${id}`);
  }
}

function listFunctions(contract: string): string[] {
  const artifact = JSON.parse(readFileSync(join(root, "contracts", "artifacts", `${contract}.json`), "utf8")) as {
    abi: AbiEntry[];
  };
  return artifact.abi
    .filter(({ type }) => type === "function" || type === "receive" || type === "constructor")
    .map(({ type, name }) => name ?? type);
}
