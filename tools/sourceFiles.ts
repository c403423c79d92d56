import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the root package.json. */
export const repositoryRoot = fileURLToPath(new URL("..", import.meta.url));

/** Returns the repository's files that `isWanted` accepts, also uncommitted files. */
export function sourceFiles(isWanted: (path: string) => boolean): { path: string; text: string }[] {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repositoryRoot,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(list.split("\0"))]
    .filter((path) => path !== "" && isWanted(path) && existsSync(join(repositoryRoot, path)))
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), "utf8") }));
}
