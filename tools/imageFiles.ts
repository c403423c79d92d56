import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { removeFontTable } from "./removeFontTable.ts";
import { repositoryRoot } from "./sourceFiles.ts";
import type { Package } from "./writeSbom.ts";

/** Where the release is in the image. */
const releaseFolder = "opt/slipway";

/** The one workspace that the image runs; the others are in the image only if this one depends on them. */
const serverFolder = "apps/server";

/** Files of packages that no program reads at run time: TypeScript (Node loads none from node_modules), maps, documents. */
const unusedFile = /\.([cm]?tsx?|map|tsbuildinfo|flow)$|(?<!licen[sc]e)\.md$|(^|\/)(README|CHANGELOG|HISTORY)[^/]*$/i;

/** Folders and files of large packages that the server does not load: tests, the forms for `require` and other fonts. */
const unusedParts: Record<string, RegExp> = {
  "@expo-google-fonts/noto-color-emoji": /^(?!400Regular\/|package\.json$|LICENSE)/,
  "@fontsource/noto-sans": /^files\/(?!.*-(400|700)-normal\.woff$)/,
  "@fontsource/noto-sans-arabic": /^files\/(?!.*-(400|700)-normal\.woff$)/,
  "@fontsource/noto-sans-sc": /^files\/(?!.*-(400|700)-normal\.woff$)/,
  "@fontsource/unifont": /^files\/(?!.*-400-normal\.woff$)/,
  bintrees: /^test\//,
  ccxt: /^dist\//,
  "csv-parse": /^dist\//,
  ethers: /^(dist|lib\.commonjs|src\.ts)\//,
  fastify: /^(docs|examples|test)\//,
  ox: /^(_cjs|_types)\//,
  pngjs: /^(browser\.js$|coverage\/)/,
  viem: /^(_cjs|_types|trusted-setups)\//,
};

/** The parts of a package that the server does not load. OpenTelemetry's packages have the same code three times. */
const getUnusedPart = (name: string): RegExp | undefined =>
  name.startsWith("@opentelemetry/") ? /^build\/(esm|esnext)\// : unusedParts[name];

type PackageJson = {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const readPackage = (folder: string) =>
  JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) as PackageJson;

/** Finds a package as Node does: in the node_modules of the folder, then of the folders above it. */
function findPackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(repositoryRoot, found, "package.json"))) return found;
    if (folder === ".") return null;
  }
}

/**
 * Lists the packages that a workspace needs at run time: its dependencies, and recursively theirs.
 *
 * @returns The folders of the packages below the repository; a workspace has its folder in node_modules, which is a link.
 * @throws Error if a dependency is not installed.
 */
function listPackages(workspace: string): string[] {
  const found = new Set<string>();
  const add = (folder: string) => {
    const {
      name,
      dependencies,
      optionalDependencies = {},
      peerDependencies,
      peerDependenciesMeta,
    } = readPackage(folder);
    // The folder of a workspace is a link, and its dependencies are found from its real place.
    const from = relative(repositoryRoot, realpathSync(join(repositoryRoot, folder)));
    const isOptional = (other: string) =>
      Object.hasOwn(optionalDependencies, other) || peerDependenciesMeta?.[other]?.optional === true;
    const named = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    // An optional peer is a dependency only of a program that names it; musl is another C library than the image's.
    const others = named.filter((other) => !peerDependenciesMeta?.[other]?.optional && !other.includes("musl"));
    for (const other of others) {
      const place = findPackage(other, from);
      if (place === null && !isOptional(other))
        throw new Error(`${name} needs ${other}, which is not installed: run npm ci`);
      if (place === null || found.has(place)) continue;
      found.add(place);
      add(place);
    }
  };
  add(workspace);
  return [...found].sort();
}

/** Lists the packages of the image with their versions, without workspaces. */
export function listImagePackages(): Package[] {
  const isWorkspace = (folder: string) =>
    relative(repositoryRoot, realpathSync(join(repositoryRoot, folder))) !== folder;
  const packages = listPackages(serverFolder).filter((folder) => !isWorkspace(folder));
  return packages.map((folder) => {
    const { name, version } = readPackage(folder);
    return { name, version };
  });
}

/** Copies a file with the mode of the image: 0755 for programs, 0644 for all others. */
function copyTo(target: string, source: string, isProgram = false): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  copyFileSync(source, target);
  chmodSync(target, isProgram ? 0o755 : 0o644);
}

/** Lists the files below a folder, sorted, without links and without the packages in its node_modules. */
function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).includes("node_modules"))
    .sort();
}

/** Copies the wanted files of a folder that Git knows. */
function copyTracked(release: string, folder: string, isWanted: (path: string) => boolean): void {
  const options = { cwd: repositoryRoot, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  const list = execFileSync("git", ["ls-files", "-z", "--", folder], options).split("\0");
  for (const path of list.filter(isWanted)) copyTo(join(release, path), join(repositoryRoot, path));
}

/** Copies a workspace without its tests. */
function copyWorkspace(release: string, folder: string): void {
  const isSource = (path: string) => /\/(src|openApi|officialAssets)\/|\/package\.json$/.test(path);
  copyTracked(release, folder, (path) => isSource(path) && !/\.test\.tsx?$/.test(path));
}

const emojiPackage = "@expo-google-fonts/noto-color-emoji";

/**
 * Removes 20 MB: the emoji font has each glyph twice, in the formats COLR and SVG, and the
 * program that draws cards uses COLR. `npm test -- image` compares a card of the image with one of the whole font.
 */
function removeSvgGlyphs(folder: string): void {
  for (const path of listFiles(folder).filter((name) => name.endsWith(".ttf"))) {
    writeFileSync(join(folder, path), removeFontTable(readFileSync(join(folder, path)), "SVG "));
  }
}

/** Copies the server, the packages that it needs and nothing else from node_modules. */
function copyRelease(release: string): void {
  copyWorkspace(release, serverFolder);
  for (const folder of listPackages(serverFolder)) {
    const source = join(repositoryRoot, folder);
    const real = relative(repositoryRoot, realpathSync(source));
    if (real !== folder) {
      copyWorkspace(release, real);
      mkdirSync(dirname(join(release, folder)), { recursive: true });
      symlinkSync(relative(dirname(folder), real), join(release, folder));
      continue;
    }
    const unusedPart = getUnusedPart(folder.replace(/^.*node_modules\//, ""));
    const isUsed = (path: string) => !unusedFile.test(path) && !unusedPart?.test(path);
    for (const path of listFiles(source).filter(isUsed)) copyTo(join(release, folder, path), join(source, path));
    if (folder.endsWith(emojiPackage)) removeSvgGlyphs(join(release, folder));
  }
  // The server compares the contracts of the chain with the compiled ones.
  for (const folder of ["contracts/artifacts", "contracts/vendor"])
    copyTracked(release, folder, (path) => path.endsWith(".json"));
  // The server serves the documentation.
  copyTracked(release, "docs", (path) => /^docs\/(es\/)?[^/]+\.md$/.test(path));
  for (const name of ["package.json", "LICENSE", "CHANGELOG.md", "packages/mcp/SKILL.md"])
    copyTo(join(release, name), join(repositoryRoot, name));
}

/**
 * Copies the shared libraries of this machine that Node and the native packages load, and the loader, to the same paths.
 *
 * @throws Error if a library of Node is missing here.
 */
function copyLibraries(root: string, program: string): void {
  const isNative = (path: string) => /\.node$|\.so(\.\d+)*$/.test(path);
  const natives = listAll(root).filter(isNative);
  const libraries = new Set<string>();
  for (const path of [program, ...natives]) {
    const { status, stdout } = spawnSync("ldd", [path], { encoding: "utf8" });
    // A native package has forms for other systems, which ldd refuses.
    if (status !== 0 && path !== program) continue;
    if (status !== 0 || stdout.includes("not found"))
      throw new Error(`a shared library is missing: ldd ${path}\n${stdout}`);
    for (const [, library] of stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)) libraries.add(library!);
  }
  for (const library of [...libraries].sort()) {
    if (!library.startsWith(root)) copyTo(join(root, library), realpathSync(library), true);
  }
}

const listAll = (folder: string) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/**
 * Writes the files of the image: Node with its shared libraries, the server with its packages, and the folder for
 * temporary files.
 *
 * @param root - An empty folder, the root of the image.
 * @returns The folder for the built site.
 */
export function writeImageFiles(root: string): string {
  const release = join(root, releaseFolder);
  copyRelease(release);
  const program = realpathSync(join(repositoryRoot, "node_modules/.bin/node"));
  const copied = join(root, "usr/local/bin/node");
  copyTo(copied, program, true);
  // A fifth of the program is symbols for debuggers.
  const { status, error } = spawnSync("strip", ["--strip-all", copied]);
  if (status !== 0) throw new Error("strip failed: install it (Debian: apt-get install -y binutils)", { cause: error });
  copyLibraries(root, program);
  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);
  return join(release, "apps/web/dist");
}
