import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** The secret that signs this stack's sessions: the one of an earlier start, else a new one. Kept in `path`, mode 0600. */
export function authSecret(path: string): string {
  if (existsSync(path)) {
    const kept = readFileSync(path, "utf8").trim();
    if (kept.length >= 32) return kept;
  }
  const secret = randomBytes(32).toString("base64url");
  writeFileSync(`${path}.partial`, `${secret}\n`, { mode: 0o600 });
  renameSync(`${path}.partial`, path);
  return secret;
}
