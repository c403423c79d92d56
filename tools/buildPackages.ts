import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLlmsFullText, createLlmsText } from "../packages/mcp/src/documentSections.ts";
import { createErrorsDocument, listErrorDocuments } from "../packages/mcp/src/errorDocuments.ts";
import { readDocuments } from "../packages/mcp/src/readDocuments.ts";
import { runCommand } from "./runCommand.ts";
import { repositoryRoot } from "./sourceFiles.ts";

/** The folder of the built packages and their tarballs. */
export const publishFolder = join(repositoryRoot, ".cache/publish");

/** The packages that are published, in the order of their dependencies. */
export const publishedNames = ["protocol", "sdk", "mcp"] as const;
export type PublishedName = (typeof publishedNames)[number];

export type PackageJson = {
  name: string;
  version: string;
  exports: Record<string, string | { types: string; default: string }>;
  bin?: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
} & Record<string, unknown>;

export const readPackageJson = (path: string) => JSON.parse(readFileSync(path, "utf8")) as PackageJson;

/** Returns the `exports` of the built files: an entry for each source that the checkout exports. */
function getBuiltExports(name: PublishedName, { exports }: PackageJson): PackageJson["exports"] {
  const folder = join(publishFolder, name, "dist");
  const files = globSync("**/*.js", { cwd: folder }).map((path) => path.replaceAll("\\", "/").replace(/\.js$/, ""));
  const entries = Object.keys(exports).flatMap((key) =>
    key === "./*" ? files.sort() : [key.slice("./".length)].filter((entry) => files.includes(entry)),
  );
  const built = entries.map((entry) => {
    return [`./${entry}`, { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` }] as const;
  });
  return { ...Object.fromEntries(built), "./package.json": "./package.json" };
}

const toBuilt = (path: string) => path.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, ".js");

/** Copies the documentation, from which an agent reads: the pages, their lists, and SKILL.md. */
function copyDocuments(source: string, folder: string): void {
  const docs = join(repositoryRoot, "docs");
  mkdirSync(join(folder, "docs"));
  for (const path of globSync("*.md", { cwd: docs })) copyFileSync(join(docs, path), join(folder, "docs", path));
  writeFileSync(join(folder, "docs/errors.md"), createErrorsDocument().text);
  mkdirSync(join(folder, "docs/errors"));
  for (const { name, text } of listErrorDocuments()) writeFileSync(join(folder, "docs/errors", `${name}.md`), text);
  const documents = readDocuments(join(folder, "docs"));
  writeFileSync(
    join(folder, "llms.txt"),
    createLlmsText(documents, (name) => `docs/${name}.md`),
  );
  writeFileSync(join(folder, "llms-full.txt"), createLlmsFullText(documents));
  copyFileSync(join(source, "SKILL.md"), join(folder, "SKILL.md"));
}

/** Writes one package: the built files, package.json with entries of them, README and licence. */
function writePackage(name: PublishedName, versions: Readonly<Record<string, string>>): void {
  const source = join(repositoryRoot, "packages", name);
  const folder = join(publishFolder, name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(publishFolder, "built", name, "src"), join(folder, "dist"), { recursive: true });
  copyFileSync(join(source, "README.md"), join(folder, "README.md"));
  copyFileSync(join(repositoryRoot, "LICENSE"), join(folder, "LICENSE"));
  if (name === "mcp") copyDocuments(source, folder);
  const { devDependencies: _, ...own } = readPackageJson(join(source, "package.json"));
  const dependencies = Object.entries(own.dependencies).map(([other, range]) => [other, versions[other] ?? range]);
  const programs = Object.entries(own.bin ?? {}).map(([program, path]) => [program, toBuilt(path)]);
  const written = {
    ...own,
    ...(programs.length > 0 && { bin: Object.fromEntries(programs) }),
    exports: getBuiltExports(name, own),
    dependencies: Object.fromEntries(dependencies),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(written, null, 2)}\n`);
}

/**
 * Builds the published packages and packs their tarballs. Node does not strip the types of files in `node_modules`, so
 * that a published package has JavaScript; the checkout runs the sources. npm does not replace `exports` by
 * `publishConfig`, so that the package is written to its own folder, from which it is packed and published.
 *
 * @returns the paths of the tarballs
 * @throws Error with the output of `tsc` or `npm pack`
 */
export async function buildPackages(): Promise<Record<PublishedName, string>> {
  rmSync(publishFolder, { recursive: true, force: true });
  // With one thread, because a second checker computes again most of the types of the first.
  await run("tsc --checkers 1 -p packages/tsconfig.publish.json");
  await run("tsc --checkers 1 -p packages/tsconfig.publishNode.json");
  const packages = publishedNames.map((name) =>
    readPackageJson(join(repositoryRoot, "packages", name, "package.json")),
  );
  // The checkout takes its own packages at any version; a published package needs the one that it was built with.
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const tarballs = [];
  for (const name of publishedNames) {
    writePackage(name, versions);
    await run(`npm pack .cache/publish/${name} --pack-destination=.cache/publish --ignore-scripts --silent`);
    tarballs.push([name, join(publishFolder, `slipway-${name}-${versions[`@slipway/${name}`]}.tgz`)] as const);
  }
  rmSync(join(publishFolder, "built"), { recursive: true });
  return Object.fromEntries(tarballs) as Record<PublishedName, string>;
}

async function run(command: string): Promise<void> {
  const { output, exitCode } = await runCommand(command);
  if (exitCode !== 0) throw new Error(`${command} ended with code ${exitCode}:\n${output}`);
}

/** `node tools/buildPackages.ts`: prints the paths of the tarballs. */
if (import.meta.main) for (const path of Object.values(await buildPackages())) process.stdout.write(`${path}\n`);
