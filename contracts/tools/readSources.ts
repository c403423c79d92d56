import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Source texts by path, relative to the root of the sources. */
export type Sources = ReadonlyMap<string, string>;

export type ReadSourcesOptions = {
  /** The folder to which the paths are relative. */
  root: string;
  /** The compiler's remappings: prefix=target. */
  remappings: readonly string[];
  /** Texts that take precedence over files. */
  replaced?: Sources;
};

/** Reads sources and all that they import. */
export function readSources(paths: readonly string[], options: ReadSourcesOptions): Sources {
  const sources = new Map<string, string>();
  for (const path of paths) addSource(path, options, sources);
  return sources;
}

function addSource(path: string, options: ReadSourcesOptions, sources: Map<string, string>): void {
  if (sources.has(path)) return;
  const text = options.replaced?.get(path) ?? readFileSync(join(options.root, path), "utf8");
  sources.set(path, text);
  for (const [, imported] of text.matchAll(/^\s*import\s[^"']*["']([^"']+)["']/gm))
    addSource(resolveImport(path, imported!, options.remappings), options, sources);
}

/** Returns the path of an import as the compiler resolves it. */
function resolveImport(importer: string, path: string, remappings: readonly string[]): string {
  if (path.startsWith(".")) return posix.join(posix.dirname(importer), path);
  for (const remapping of remappings) {
    const [prefix, target] = remapping.split("=") as [string, string];
    if (path.startsWith(prefix)) return target + path.slice(prefix.length);
  }
  return path;
}
