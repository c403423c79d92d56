import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { repositoryRoot, sourceFiles } from "./sourceFiles.ts";

/** Sources by path from the repository's root. */
export type Files = ReadonlyMap<string, string>;
type Import = { from: string; to: string };
type Measured = { internal: Import[]; external: Import[]; problems: string[] };
/** Rows of `left -> right, right`. */
type Table = Map<string, Set<string>>;
/** A line of a layer table: its modules, and whether they may import each other. */
type Layer = { modules: string[]; isolated: boolean };

/** The packages by the name in imports (`@slipway/server/...`), with the folder of their sources. */
const folders: Readonly<Record<string, string>> = {
  protocol: "packages/protocol/src/",
  quant: "packages/quant/src/",
  sdk: "packages/sdk/src/",
  cli: "packages/cli/src/",
  mcp: "packages/mcp/src/",
  deploy: "packages/deploy/src/",
  server: "apps/server/src/",
  web: "apps/web/src/",
  dev: "dev/src/",
};
/** The packages whose modules have a layer table. */
const layered = ["server", "web"] as const;
type Layered = (typeof layered)[number];
type Layers = Readonly<Record<Layered, readonly Layer[]>>;
const scope = "@slipway/";
const importPattern =
  /^\s*(?:import|export)\s[^;'"`]*?\bfrom\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

const getPackage = (path: string) => Object.keys(folders).find((name) => path.startsWith(folders[name]!)) ?? path;
const isWithin = (name: Layered, { from, to }: Import) => getPackage(from) === name && getPackage(to) === name;

/** Returns the path of a specifier, without Vite's query (`?worker`); null for a third-party package. */
function getPath(from: string, written: string): string | null {
  const specifier = written.replace(/\?.*$/, "");
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  if (!specifier.startsWith(scope)) return null;
  const [name, ...rest] = specifier.slice(scope.length).split("/");
  return `${folders[name!] ?? `${name}/`}${rest.join("/")}.ts`;
}

/** Returns every import of every file, also type imports and dynamic imports. */
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
        measured.problems.push(`${from} imports ${specifier}, which is not a source of a package`);
    }
  }
  return measured;
}

/** Returns the rows of a fenced table of the document, e.g. of "```imports server". */
function getRows(document: string, name: string): string[] {
  const block = new RegExp(`^\`\`\`imports ${name}\\n([\\s\\S]*?)^\`\`\``, "m").exec(document);
  if (!block) throw new Error(`ARCHITECTURE.md has no table "imports ${name}"`);
  return block[1]!.split("\n").filter((row) => row.trim() !== "");
}

function getTable(document: string, name: string, separator: string): Table {
  const cells = getRows(document, name).map((row) => row.split(separator).map((cell) => cell.trim()));
  return new Map(cells.map(([left, right = ""]) => [left!, new Set(right.split(/,\s*/).filter(Boolean))]));
}

/** Returns the layers from top to bottom: `a | b` do not import each other, `a b` may; `a/*` is each folder of `a`. */
function getLayers(document: string): Layers {
  const parse = (name: Layered) =>
    getRows(document, name).map((row) => ({ modules: row.match(/[^\s|]+/g) ?? [], isolated: /[|*]/.test(row) }));
  return { server: parse("server"), web: parse("web") };
}

/** Returns the module of a file in its package: `http`, `features/tokens`, `config.ts`; null for none. */
function getModule(all: Layers, path: string): { name: string; level: number } | null {
  const name = getPackage(path) as Layered;
  const layers = all[name];
  const [first, second, third] = path.slice(folders[name]!.length).split("/") as [string, string?, string?];
  const names = third === undefined ? [first] : [first, `${first}/*`];
  const level = layers.findIndex(({ modules }) => names.some((name) => modules.includes(name)));
  if (level === -1) return null;
  return { name: layers[level]!.modules.includes(`${first}/*`) ? `${first}/${second}` : first, level };
}

/**
 * Returns the name of a file in the table of external packages: its server module, or its package (always for
 * `node:*`).
 */
function getImporter(layers: Layers, { from, to }: Import): string {
  const name = getPackage(from);
  if (name !== "server" || to === "node:*") return name;
  return getModule(layers, from)?.name.replace(/\/.*/, "") ?? from;
}

/** Returns the measured tables with rows of `left, right, example`. */
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

/** Returns the differences between a table and its measurement, in both directions, each row once. */
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

/** Returns the cycles of imports between files, as paths that end at their first file. */
export function findImportCycles(files: Files): string[] {
  const next = Map.groupBy(measureImports(files).internal, ({ from }) => from);
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
  return cycles.map((cycle) => `import cycle: ${cycle.join(" -> ")}`);
}

/**
 * Returns the violations of the import tables of ARCHITECTURE.md by these files: `imports packages` (`name -> imported,
 * imported`), `imports server` and `imports web` (see `getLayers`) and `imports external` (`package | module, module`).
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
  ];
}

/** Returns the measurement in the format of the document; for the layered packages, the imports of each module. */
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
  const all = sourceFiles((path) => /\.tsx?$/.test(path) && !path.startsWith("tools/canary/"));
  const isMeasured = (path: string) => !/\.test\.tsx?$/.test(path) && getPackage(path) !== path;
  const files = new Map(all.filter(({ path }) => isMeasured(path)).map(({ path, text }) => [path, text]));
  // Tests and tools may import types of each other.
  const withoutTypes = new Map(
    all.map(({ path, text }) => [path, isMeasured(path) ? text : text.replace(/^import type [^;]*;/gm, "")]),
  );
  const document = readFileSync(join(repositoryRoot, "ARCHITECTURE.md"), "utf8");
  if (process.argv.includes("--print")) process.stdout.write(printTables(files, document));
  const problems =
    files.size === 0
      ? ["no source file was found"]
      : [...findImportProblems(files, document), ...findImportCycles(withoutTypes)];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write(`the imports of ${files.size} files match ARCHITECTURE.md\n`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
