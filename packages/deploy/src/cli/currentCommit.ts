import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The commit of this repository; null when there is none to ask. */
export function currentCommit(): string | null {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}
