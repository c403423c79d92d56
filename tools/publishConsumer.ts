import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type PublishedName, publishedNames, publishFolder, readPackageJson } from "./buildPackages.ts";
import { repositoryRoot } from "./sourceFiles.ts";

type LockEntry = {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
} & Record<string, unknown>;
type Lock = Record<string, LockEntry>;

/** Returns the place of a dependency of a package: in its own folder, or in one above. */
function findEntry(lock: Lock, importer: string, name: string): string | null {
  for (let folder = importer; ; folder = folder.replace(/\/?(node_modules\/)?(@[^/]+\/)?[^/]+$/, "")) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(lock, path)) return path;
    if (folder === "") return null;
  }
}

/** Adds the locked entries of a package's dependencies, and of theirs. */
function addDependencies(lock: Lock, importer: string, from: LockEntry, found: Lock): void {
  const isRequired = (name: string) => from.peerDependenciesMeta?.[name]?.optional !== true;
  const peers = Object.keys(from.peerDependencies ?? {}).filter(isRequired);
  const names = [...Object.keys(from.dependencies ?? {}), ...Object.keys(from.optionalDependencies ?? {}), ...peers];
  for (const name of names.filter((each) => !publishedNames.some((own) => each === `@slipway/${own}`))) {
    const path = findEntry(lock, importer, name);
    if (path === null || Object.hasOwn(found, path)) continue;
    if (!path.startsWith("node_modules/")) throw new Error(`${path} differs from the version at the root`);
    const { dev: _, devOptional: __, ...entry } = lock[path]!;
    found[path] = entry as LockEntry;
    addDependencies(lock, path, entry as LockEntry, found);
  }
}

/**
 * Creates a folder outside of the checkout whose package.json needs the tarballs, with a lock file that has the
 * versions of the checkout: `npm ci` then takes the packages from npm's cache.
 */
export function createConsumer(tarballs: Readonly<Record<PublishedName, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-consumer-"));
  const lock = (JSON.parse(readFileSync(join(repositoryRoot, "package-lock.json"), "utf8")) as { packages: Lock })
    .packages;
  const packages: Lock = {};
  const dependencies: Record<string, string> = {};
  for (const name of publishedNames) {
    const path = tarballs[name];
    copyFileSync(path, join(folder, basename(path)));
    const own = readPackageJson(join(publishFolder, name, "package.json"));
    const resolved = `file:${basename(path)}`;
    const integrity = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
    const { version, dependencies: needed } = own;
    dependencies[own.name] = resolved;
    packages[`node_modules/${own.name}`] = { version, resolved, integrity, dependencies: needed };
    addDependencies(lock, `packages/${name}`, { version, dependencies: needed }, packages);
  }
  const devDependencies = { "@types/node": lock["node_modules/@types/node"]!.version };
  addDependencies(lock, "", { version: "0.0.0", dependencies: devDependencies }, packages);
  const root = { name: "consumer", version: "0.0.0", type: "module", dependencies, devDependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(root));
  const written = { ...root, lockfileVersion: 3, requires: true, packages: { "": root, ...packages } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(written));
  return folder;
}

/** Returns the code blocks of one language in the README of a package. */
export function getCodeBlocks(name: PublishedName, language: string): string[] {
  const path = join(publishFolder, name, "README.md");
  if (!existsSync(path)) return [];
  const blocks = readFileSync(path, "utf8").matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"));
  return [...blocks].map(([, code]) => code!);
}
