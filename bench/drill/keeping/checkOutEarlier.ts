import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const migrations = "apps/server/src/db/migrations/";
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const countMigrations = (commit: string) => git("ls-tree", "--name-only", commit, migrations).split("\n").length;

/** A checkout of an earlier version. */
export type Earlier = { commit: string; migrations: number; ownMigrations: number; server: string; remove(): void };

/** Links the packages of this checkout, and the workspaces of the other one. */
function linkPackages(folder: string): void {
  const link = (target: string, path: string) => existsSync(path) || symlinkSync(target, path);
  const { workspaces } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { workspaces: string[] };
  const places = workspaces.flatMap((place) =>
    place.endsWith("/*")
      ? readdirSync(join(folder, place.slice(0, -2))).map((name) => place.replace("*", name))
      : [place],
  );
  for (const place of ["", ...places]) {
    const source = join(root, place, "node_modules");
    if (!existsSync(source) || !existsSync(join(folder, place))) continue;
    const target = join(folder, place, "node_modules");
    mkdirSync(target, { recursive: true });
    for (const name of readdirSync(source)) if (name !== "@slipway") link(join(source, name), join(target, name));
  }
  const scope = join(folder, "node_modules/@slipway");
  mkdirSync(scope, { recursive: true });
  const installed = join(root, "node_modules/@slipway");
  // Links such as ../../packages/protocol lead to the workspaces of their own checkout.
  for (const name of readdirSync(installed)) link(readlinkSync(join(installed, name)), join(scope, name));
}

/**
 * Checks out the newest commit of the main branch that has fewer migrations, with the installed packages of this checkout.
 *
 * @throws Error if Git has no such commit, as in a shallow clone.
 */
export function checkOutEarlier(dir: string): Earlier {
  const ownMigrations = readdirSync(join(root, migrations)).length;
  const commits = git("rev-list", "--first-parent", "--max-count=2000", "main").split("\n");
  const commit = commits.find((candidate) => countMigrations(candidate) < ownMigrations);
  if (commit === undefined) throw new Error("no earlier version was found: fetch the whole history of main");
  const folder = join(dir, "earlier");
  git("worktree", "add", "--quiet", "--detach", folder, commit);
  const remove = () => void git("worktree", "remove", "--force", folder);
  try {
    linkPackages(folder);
  } catch (error) {
    remove();
    throw error;
  }
  const server = join(folder, "apps/server/src/server.ts");
  return { commit: commit.slice(0, 10), migrations: countMigrations(commit), ownMigrations, server, remove };
}
