import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { execa } from "execa";
import { StackError } from "../stack/stackError.ts";
import { repositoryRoot } from "../stack/stackFolder.ts";

/** The sources of the site, relative to the repository's root. */
const sources = ["apps/web", "packages/sdk/src", "packages/protocol/src", "package-lock.json"];
const isSource = (path: string) => !/(^|\/)(node_modules|dist)\/|\.test\.tsx?$/.test(path);
/** The number of builds that are kept, because a running stack serves its own build until it ends. */
const storedSites = 4;

export type BuiltSite = { folder: string; isNew: boolean };

/**
 * Builds the site, unless the same sources were built before. Each build has its own folder, so that stacks that start
 * at the same time, or still run with older sources, do not disturb each other.
 *
 * @param root - The folder of all builds.
 * @param build - Builds the site to a folder (tests).
 * @throws StackError when the build fails; the message contains its last lines
 */
export async function buildSite(root = join(repositoryRoot, ".cache/web"), build = runVite): Promise<BuiltSite> {
  const folder = join(root, hashSources().slice(0, 16));
  if (existsSync(join(folder, "index.html"))) return { folder, isNew: false };
  mkdirSync(root, { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  await build(unfinished).catch((error: unknown) => {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  });
  try {
    renameSync(unfinished, folder);
  } catch {
    // Another start has built the same sources in the meantime.
    rmSync(unfinished, { recursive: true, force: true });
  }
  removeOldSites(root);
  return { folder, isNew: true };
}

async function runVite(outDir: string): Promise<void> {
  const vite = join(repositoryRoot, "node_modules/vite/bin/vite.js");
  const config = join(repositoryRoot, "apps/web/vite.config.ts");
  const args = [vite, "build", "--config", config, "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"];
  const env = { NODE_ENV: "production", NO_COLOR: "1" };
  const result = await execa(process.execPath, args, { cwd: repositoryRoot, env, all: true, reject: false });
  if (result.exitCode === 0) return;
  const output = String(result.all ?? result.shortMessage ?? "").split("\n");
  throw new StackError(
    `The site cannot be built:\n${output.slice(-20).join("\n")}`,
    "npm run web:build shows the whole output",
  );
}

/** Returns the SHA-256 of the names and contents of all sources. */
function hashSources(): string {
  const paths = sources.flatMap((source) => {
    const path = join(repositoryRoot, source);
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  });
  const hash = createHash("sha256");
  for (const path of paths.filter((each) => isSource(relative(repositoryRoot, each))).sort()) {
    const bytes = readFileSync(path);
    hash.update(`${relative(repositoryRoot, path)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

function removeOldSites(root: string): void {
  const folders = readdirSync(root).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const newest = folders
    .map((name) => ({ path: join(root, name), time: statSync(join(root, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of newest.slice(storedSites)) rmSync(path, { recursive: true, force: true });
}
