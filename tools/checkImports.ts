import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { repositoryRoot, sourceFiles } from "./sourceFiles.ts";

/** Sources by path from the repository's root. */
export type Files = ReadonlyMap<string, string>;
type Import = { from: string; to: string };
type Measured = { internal: Import[]; external: Import[]; problems: string[] };
/** A row `left -> right, right` each. */
type Table = Map<string, Set<string>>;
/** A line of a table of layers: its modules, and whether they may import each other. */
type Layer = { modules: string[]; isolated: boolean };

/** The packages by the name that imports use (`@slipway/server/...`), and the folder of their sources. */
const folders: Readonly<Record<string, string>> = {
  protocol: "packages/protocol/src/",
  quant: "packages/quant/src/",
  sdk: "packages/sdk/src/",
  deploy: "packages/deploy/src/",
  server: "apps/server/src/",
  web: "apps/web/src/",
  dev: "dev/src/",
};
/** The packages whose modules have a table of layers. */
const layered = ["server", "web"] as const;
type Layered = (typeof layered)[number];
type Layers = Readonly<Record<Layered, readonly Layer[]>>;
const scope = "@slipway/";
const importPattern =
  /^\s*(?:import|export)\s[^;'"`]*?\bfrom\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

const getPackage = (path: string) => Object.keys(folders).find((name) => path.startsWith(folders[name]!)) ?? path;
const isWithin = (name: Layered, { from, to }: Import) => getPackage(from) === name && getPackage(to) === name;

/** The path that a specifier names; null for a package of others. */
function getPath(from: string, specifier: string): string | null {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  if (!specifier.startsWith(scope)) return null;
  const [name, ...rest] = specifier.slice(scope.length).split("/");
  return `${folders[name!] ?? `${name}/`}${rest.join("/")}.ts`;
}

/** Every import of every file, those of types and dynamic ones too. */
function measureImports(files: Files): Measured {
  const measured: Measured = { internal: [], external: [], problems: [] };
  for (const [from, text] of files) {
    for (const match of text.matchAll(importPattern)) {
      const specifier = match[1] ?? match[2] ?? match[3]!;
      const to = getPath(from, specifier);
      const [name] = specifier.startsWith("node:") ? ["node:*"] : /^(@[^/]+\/)?[^/]+/.exec(specifier)!;
      if (to === null) measured.external.push({ from, to: name! });
      else if (files.has(to)) measured.internal.push({ from, to });
      else if (!/\.(json|css)$/.test(to) || getPackage(to) !== getPackage(from))
        measured.problems.push(`${from} imports ${specifier}, which is no source of a package`);
    }
  }
  return measured;
}

/** The rows of a fenced table of the document, e.g. of "```imports server". */
function getRows(document: string, name: string): string[] {
  const block = new RegExp(`^\`\`\`imports ${name}\\n([\\s\\S]*?)^\`\`\``, "m").exec(document);
  if (!block) throw new Error(`ARCHITECTURE.md has no table "imports ${name}"`);
  return block[1]!.split("\n").filter((row) => row.trim() !== "");
}

function getTable(document: string, name: string, separator: string): Table {
  const cells = getRows(document, name).map((row) => row.split(separator).map((cell) => cell.trim()));
  return new Map(cells.map(([left, right = ""]) => [left!, new Set(right.split(/,\s*/).filter(Boolean))]));
}

/** Layers from top to bottom: `a | b` do not import each other, `a b` may; `a/*` is each folder of `a`. */
function getLayers(document: string): Layers {
  const parse = (name: Layered) =>
    getRows(document, name).map((row) => ({ modules: row.match(/[^\s|]+/g) ?? [], isolated: /[|*]/.test(row) }));
  return { server: parse("server"), web: parse("web") };
}

/** The module of its package that a file belongs to: `http`, `features/tokens`, `config.ts`; null for none. */
function getModule(all: Layers, path: string): { name: string; level: number } | null {
  const name = getPackage(path) as Layered;
  const layers = all[name];
  const [first, second, third] = path.slice(folders[name]!.length).split("/") as [string, string?, string?];
  const names = third === undefined ? [first] : [first, `${first}/*`];
  const level = layers.findIndex(({ modules }) => names.some((name) => modules.includes(name)));
  if (level === -1) return null;
  return { name: layers[level]!.modules.includes(`${first}/*`) ? `${first}/${second}` : first, level };
}

/** A file as the table of external packages names it: its module of the server, or its package (for `node:*` always). */
function getImporter(layers: Layers, { from, to }: Import): string {
  const name = getPackage(from);
  if (name !== "server" || to === "node:*") return name;
  return getModule(layers, from)?.name.replace(/\/.*/, "") ?? from;
}

/** The measured tables: `left, right, example` each. */
function getMeasuredRows({ internal, external }: Measured, layers: Layers) {
  const between = internal.filter(({ from, to }) => getPackage(from) !== getPackage(to));
  const getWithin = (name: Layered) =>
    internal
      .filter((each) => isWithin(name, each))
      .flatMap(({ from, to }) => {
        const left = getModule(layers, from)?.name;
        const right = getModule(layers, to)?.name;
        return left && right && left !== right ? [[left, right, from] as const] : [];
      });
  return {
    packages: between.map(({ from, to }) => [getPackage(from), getPackage(to), from] as const),
    external: external.map((each) => [each.to, getImporter(layers, each), each.from] as const),
    server: getWithin("server"),
    web: getWithin("web"),
  };
}

/** Where a table and its measurement differ, in both directions; each row once. */
function compare(name: string, table: Table, measured: readonly (readonly [string, string, string])[]): string[] {
  const found = new Map(measured.map(([left, right, example]) => [`${left} ${right}`, { left, right, example }]));
  const missing = [...found.values()].filter(({ left, right }) => !table.get(left)?.has(right));
  const rows = [...table].flatMap(([left, all]) => [...all].map((right) => ({ left, right })));
  const unused = rows.filter(({ left, right }) => !found.has(`${left} ${right}`));
  return [
    ...missing.map(({ left, right, example }) => `"imports ${name}" does not allow ${left}, ${right}: ${example}`),
    ...unused.map(({ left, right }) => `"imports ${name}" is out of date, no import is ${left}, ${right}`),
  ];
}

function findLayerProblems(name: Layered, all: Layers, files: Files, { internal }: Measured): string[] {
  const layers = all[name];
  const problems: string[] = [];
  const found = new Set<string>();
  for (const path of [...files.keys()].filter((path) => getPackage(path) === name)) {
    const module = getModule(all, path);
    if (module === null) problems.push(`${path} belongs to no module of "imports ${name}"`);
    else found.add(module.name).add(module.name.replace(/\/.*/, "/*"));
  }
  const absent = layers.flatMap(({ modules }) => modules).filter((module) => !found.has(module));
  problems.push(...absent.map((module) => `"imports ${name}" is out of date, there is no ${module}`));
  for (const { from, to } of internal.filter((each) => isWithin(name, each))) {
    const importer = getModule(all, from);
    const imported = getModule(all, to);
    if (importer === null || imported === null || importer.name === imported.name) continue;
    const isBeside = importer.level === imported.level && layers[importer.level]!.isolated;
    if (imported.level < importer.level || isBeside)
      problems.push(`${from} imports ${to}: ${imported.name} is ${isBeside ? "beside" : "above"} ${importer.name}`);
  }
  return problems;
}

/** The cycles of imports between files: one path each, which ends where it begins. */
function findCycles(files: Files, { internal }: Measured): string[][] {
  const next = Map.groupBy(internal, ({ from }) => from);
  const finished = new Map<string, boolean>();
  const cycles: string[][] = [];
  const path: string[] = [];
  const visit = (file: string) => {
    finished.set(file, false);
    path.push(file);
    for (const { to } of next.get(file) ?? []) {
      if (finished.get(to) === false) cycles.push([...path.slice(path.indexOf(to)), to]);
      else if (!finished.has(to)) visit(to);
    }
    path.pop();
    finished.set(file, true);
  };
  for (const file of files.keys()) if (!finished.has(file)) visit(file);
  return cycles;
}

/**
 * What is wrong with the imports of these files by the fenced tables of ARCHITECTURE.md; empty for nothing:
 * `imports packages` (`name -> imported, imported`), `imports server` and `imports web` (see `getLayers`) and
 * `imports external` (`package | module, module`).
 */
export function findImportProblems(files: Files, document: string): string[] {
  const layers = getLayers(document);
  const measured = measureImports(files);
  const rows = getMeasuredRows(measured, layers);
  return [
    ...measured.problems,
    ...compare("packages", getTable(document, "packages", "->"), rows.packages),
    ...layered.flatMap((name) => findLayerProblems(name, layers, files, measured)),
    ...compare("external", getTable(document, "external", "|"), rows.external),
    ...findCycles(files, measured).map((cycle) => `import cycle: ${cycle.join(" -> ")}`),
  ];
}

/** The measurement in the form of the document; of the layered packages what each module imports. */
function printTables(files: Files, document: string): string {
  const rows = Object.entries(getMeasuredRows(measureImports(files), getLayers(document)));
  return rows
    .map(([name, all]) => {
      const groups = [...Map.groupBy(all, ([left]) => left)].sort(([a], [b]) => (a < b ? -1 : 1));
      const separator = name === "external" ? "|" : "->";
      const lines = groups.map(([left, some]) => {
        return `${left} ${separator} ${[...new Set(some.map(([, right]) => right))].sort().join(", ")}\n`;
      });
      return `\`\`\`imports ${name}\n${lines.join("")}\`\`\`\n`;
    })
    .join("\n");
}

/** `node tools/checkImports.ts [--print]`. */
function main(): number {
  const isMeasured = (path: string) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && getPackage(path) !== path;
  const files = new Map(sourceFiles(isMeasured).map(({ path, text }) => [path, text]));
  const document = readFileSync(join(repositoryRoot, "ARCHITECTURE.md"), "utf8");
  if (process.argv.includes("--print")) process.stdout.write(printTables(files, document));
  const problems = files.size === 0 ? ["no source file was found"] : findImportProblems(files, document);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write(`the imports of ${files.size} files are those of ARCHITECTURE.md\n`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
